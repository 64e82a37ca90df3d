import { deletions } from '../areas/deletions.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(deletions);
