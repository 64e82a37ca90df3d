import { updates } from '../areas/updates.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(updates);
