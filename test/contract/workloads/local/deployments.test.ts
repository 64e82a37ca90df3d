import { deploymentContract } from '../areas/deployments.ts';
import { holdsOnLocalPods } from '../on-local.ts';

holdsOnLocalPods(deploymentContract);
