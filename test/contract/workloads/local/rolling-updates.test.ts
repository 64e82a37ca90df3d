import { rollingUpdates } from '../areas/rolling-updates.ts';
import { holdsOnLocalPods } from '../on-local.ts';

holdsOnLocalPods(rollingUpdates);
