import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { replicaSetContract } from '../areas/replica-sets.ts';

holdsOnKubernetes(replicaSetContract);
