import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { daemonSetContract } from '../areas/daemon-sets.ts';

holdsOnKubernetes(daemonSetContract);
