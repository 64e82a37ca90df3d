import { lists } from '../areas/lists.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(lists);
