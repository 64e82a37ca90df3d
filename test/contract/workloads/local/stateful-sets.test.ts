import { statefulSetContract } from '../areas/stateful-sets.ts';
import { holdsOnLocalPods } from '../on-local.ts';

holdsOnLocalPods(statefulSetContract);
