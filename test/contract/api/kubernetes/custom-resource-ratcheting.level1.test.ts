import { customResourceRatcheting } from '../areas/custom-resource-ratcheting.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(customResourceRatcheting);
