import { strategicMergePatches } from '../areas/strategic-merge-patches.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(strategicMergePatches);
