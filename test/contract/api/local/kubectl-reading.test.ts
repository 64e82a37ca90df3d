import { kubectlReading } from '../areas/kubectl-reading.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(kubectlReading);
