import { customResourceWatches } from '../areas/custom-resource-watches.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(customResourceWatches);
