import { strategicMergePatches } from '../areas/strategic-merge-patches.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(strategicMergePatches);
