import { kubectlRollout } from '../areas/kubectl-rollout.ts';
import { holdsOnLocalPods } from '../on-local.ts';

holdsOnLocalPods(kubectlRollout);
