import { webhooks } from '../areas/webhooks.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(webhooks);
