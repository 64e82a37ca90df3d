import { customResourceRatcheting } from '../areas/custom-resource-ratcheting.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(customResourceRatcheting);
