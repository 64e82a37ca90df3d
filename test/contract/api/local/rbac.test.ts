import { rbac } from '../areas/rbac.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(rbac);
