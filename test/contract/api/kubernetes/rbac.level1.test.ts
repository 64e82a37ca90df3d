import { rbac } from '../areas/rbac.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(rbac);
