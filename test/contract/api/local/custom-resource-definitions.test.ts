import { customResourceDefinitions } from '../areas/custom-resource-definitions.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(customResourceDefinitions);
