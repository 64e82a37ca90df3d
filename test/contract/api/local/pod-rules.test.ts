import { podRules } from '../areas/pod-rules.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(podRules);
