import { workloadRules } from '../areas/workload-rules.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(workloadRules);
