import { serverSideApply } from '../areas/server-side-apply.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(serverSideApply);
