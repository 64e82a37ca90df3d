import { holdsOnLocal } from '../../api/on-local.ts';
import { quotas } from '../areas/quotas.ts';

holdsOnLocal(quotas);
