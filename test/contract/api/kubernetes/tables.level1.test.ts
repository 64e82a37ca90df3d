import { tables } from '../areas/tables.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(tables);
