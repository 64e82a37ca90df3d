import { podVolumes } from '../areas/pod-volumes.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(podVolumes);
