import { builtInControllers } from '../areas/built-in-controllers.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(builtInControllers);
