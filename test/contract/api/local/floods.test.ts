import { floods } from '../areas/floods.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(floods);
