import { customResourceDefinitions } from '../areas/custom-resource-definitions.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(customResourceDefinitions);
