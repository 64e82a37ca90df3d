import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { rollingUpdates } from '../areas/rolling-updates.ts';

holdsOnKubernetes(rollingUpdates);
