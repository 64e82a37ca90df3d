import { webhooks } from '../areas/webhooks.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(webhooks);
