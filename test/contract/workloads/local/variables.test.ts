import { variableContract } from '../areas/variables.ts';
import { holdsOnLocalKubelet } from '../on-local-kubelet.ts';

holdsOnLocalKubelet(variableContract);
