import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { quotas } from '../areas/quotas.ts';

holdsOnKubernetes(quotas);
