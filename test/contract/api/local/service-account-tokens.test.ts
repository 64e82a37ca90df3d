import { serviceAccountTokens } from '../areas/service-account-tokens.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(serviceAccountTokens);
