import { managedFields } from '../areas/managed-fields.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(managedFields);
