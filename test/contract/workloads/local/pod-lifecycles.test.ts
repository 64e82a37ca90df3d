import { podLifecycles } from '../areas/pod-lifecycles.ts';
import { holdsOnLocalKubelet } from '../on-local-kubelet.ts';

holdsOnLocalKubelet(podLifecycles);
