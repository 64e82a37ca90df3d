import { workloadRules } from '../areas/workload-rules.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(workloadRules);
