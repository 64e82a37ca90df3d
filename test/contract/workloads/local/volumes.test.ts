import { volumeContract } from '../areas/volumes.ts';
import { holdsOnLocalKubelet } from '../on-local-kubelet.ts';

holdsOnLocalKubelet(volumeContract);
