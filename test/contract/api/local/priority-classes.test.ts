import { priorityClasses } from '../areas/priority-classes.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(priorityClasses);
