import { defaults } from '../areas/defaults.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(defaults);
