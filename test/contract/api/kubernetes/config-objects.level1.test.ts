import { configObjects } from '../areas/config-objects.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(configObjects);
