import { managedFields } from '../areas/managed-fields.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(managedFields);
