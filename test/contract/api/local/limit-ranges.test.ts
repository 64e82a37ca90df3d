import { limitRanges } from '../areas/limit-ranges.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(limitRanges);
