import { representations } from '../areas/representations.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(representations);
