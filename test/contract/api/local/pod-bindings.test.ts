import { podBindings } from '../areas/pod-bindings.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(podBindings);
