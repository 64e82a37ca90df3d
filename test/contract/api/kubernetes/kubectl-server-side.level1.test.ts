import { kubectlServerSide } from '../areas/kubectl-server-side.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(kubectlServerSide);
