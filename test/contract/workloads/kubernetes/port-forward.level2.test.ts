import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { portForward } from '../areas/port-forward.ts';

holdsOnKubernetes(portForward);
