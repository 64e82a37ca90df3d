import { customResources } from '../areas/custom-resources.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(customResources);
