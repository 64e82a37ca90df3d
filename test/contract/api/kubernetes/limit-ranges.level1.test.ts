import { limitRanges } from '../areas/limit-ranges.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(limitRanges);
