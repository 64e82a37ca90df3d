import { jsonAndMergePatches } from '../areas/json-and-merge-patches.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(jsonAndMergePatches);
