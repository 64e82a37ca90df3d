import { replicaSetContract } from '../areas/replica-sets.ts';
import { holdsOnLocalPods } from '../on-local.ts';

holdsOnLocalPods(replicaSetContract);
