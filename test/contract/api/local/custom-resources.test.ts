import { customResources } from '../areas/custom-resources.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(customResources);
