import { selectors } from '../areas/selectors.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(selectors);
