import { discovery } from '../areas/discovery.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(discovery);
