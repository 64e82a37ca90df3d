import { kubectlServerSide } from '../areas/kubectl-server-side.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(kubectlServerSide);
