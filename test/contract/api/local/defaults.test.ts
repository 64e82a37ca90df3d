import { defaults } from '../areas/defaults.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(defaults);
