import { tables } from '../areas/tables.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(tables);
