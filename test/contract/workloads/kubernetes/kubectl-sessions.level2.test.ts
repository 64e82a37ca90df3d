import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { kubectlSessions } from '../areas/kubectl-sessions.ts';

holdsOnKubernetes(kubectlSessions);
