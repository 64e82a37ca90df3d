import { jsonAndMergePatches } from '../areas/json-and-merge-patches.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(jsonAndMergePatches);
