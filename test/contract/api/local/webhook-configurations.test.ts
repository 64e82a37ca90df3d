import { webhookConfigurations } from '../areas/webhook-configurations.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(webhookConfigurations);
