import { updates } from '../areas/updates.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(updates);
