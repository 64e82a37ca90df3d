import { deletions } from '../areas/deletions.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(deletions);
