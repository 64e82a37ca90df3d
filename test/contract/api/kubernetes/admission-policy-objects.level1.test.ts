import { admissionPolicyObjects } from '../areas/admission-policy-objects.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(admissionPolicyObjects);
