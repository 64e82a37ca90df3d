import { representations } from '../areas/representations.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(representations);
