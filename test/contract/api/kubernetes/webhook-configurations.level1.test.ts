import { webhookConfigurations } from '../areas/webhook-configurations.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(webhookConfigurations);
