import { selectors } from '../areas/selectors.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(selectors);
