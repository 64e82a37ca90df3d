import { configObjects } from '../areas/config-objects.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(configObjects);
