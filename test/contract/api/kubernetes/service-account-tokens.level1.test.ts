import { serviceAccountTokens } from '../areas/service-account-tokens.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(serviceAccountTokens);
