import { tableRows } from '../areas/table-rows.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(tableRows);
