import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { statefulSetContract } from '../areas/stateful-sets.ts';

holdsOnKubernetes(statefulSetContract);
