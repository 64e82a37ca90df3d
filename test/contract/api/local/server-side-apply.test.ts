import { serverSideApply } from '../areas/server-side-apply.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(serverSideApply);
