import { podDefaults } from '../areas/pod-defaults.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(podDefaults);
