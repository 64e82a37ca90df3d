import { customResourceWatches } from '../areas/custom-resource-watches.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(customResourceWatches);
