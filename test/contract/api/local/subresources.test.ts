import { subresources } from '../areas/subresources.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(subresources);
