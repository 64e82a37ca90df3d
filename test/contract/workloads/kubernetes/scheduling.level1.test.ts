import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { scheduling } from '../areas/scheduling.ts';

holdsOnKubernetes(scheduling);
