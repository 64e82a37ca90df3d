import { kubectlReading } from '../areas/kubectl-reading.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(kubectlReading);
