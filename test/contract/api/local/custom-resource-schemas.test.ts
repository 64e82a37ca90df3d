import { customResourceSchemas } from '../areas/custom-resource-schemas.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(customResourceSchemas);
