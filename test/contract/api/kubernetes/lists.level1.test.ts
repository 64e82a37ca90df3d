import { lists } from '../areas/lists.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(lists);
