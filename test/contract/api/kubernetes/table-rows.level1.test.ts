import { tableRows } from '../areas/table-rows.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(tableRows);
