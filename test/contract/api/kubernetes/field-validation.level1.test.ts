import { fieldValidation } from '../areas/field-validation.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(fieldValidation);
