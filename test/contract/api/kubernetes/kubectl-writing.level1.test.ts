import { kubectlWriting } from '../areas/kubectl-writing.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(kubectlWriting);
