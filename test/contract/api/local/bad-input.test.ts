import { badInput } from '../areas/bad-input.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(badInput);
