import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { kubectlRollout } from '../areas/kubectl-rollout.ts';

holdsOnKubernetes(kubectlRollout);
