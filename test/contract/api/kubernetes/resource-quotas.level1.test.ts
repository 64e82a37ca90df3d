import { resourceQuotas } from '../areas/resource-quotas.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(resourceQuotas);
