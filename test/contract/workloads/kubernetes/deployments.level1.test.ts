import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { deploymentContract } from '../areas/deployments.ts';

holdsOnKubernetes(deploymentContract);
