import { priorityClasses } from '../areas/priority-classes.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(priorityClasses);
