import { portForward } from '../areas/port-forward.ts';
import { holdsOnLocalKubelet } from '../on-local-kubelet.ts';

holdsOnLocalKubelet(portForward);
