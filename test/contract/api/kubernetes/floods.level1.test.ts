import { floods } from '../areas/floods.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(floods);
