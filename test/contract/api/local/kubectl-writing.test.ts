import { kubectlWriting } from '../areas/kubectl-writing.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(kubectlWriting);
