import { resourceQuotas } from '../areas/resource-quotas.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(resourceQuotas);
