import { identity } from '../areas/identity.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(identity);
