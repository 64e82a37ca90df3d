import { daemonSetContract } from '../areas/daemon-sets.ts';
import { holdsOnLocalPods } from '../on-local.ts';

holdsOnLocalPods(daemonSetContract);
