import { kubectlSessions } from '../areas/kubectl-sessions.ts';
import { holdsOnLocalKubelet } from '../on-local-kubelet.ts';

holdsOnLocalKubelet(kubectlSessions);
