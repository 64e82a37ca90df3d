import { watches } from '../areas/watches.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(watches);
