import { customResourceSchemas } from '../areas/custom-resource-schemas.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(customResourceSchemas);
