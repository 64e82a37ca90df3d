import { discovery } from '../areas/discovery.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(discovery);
