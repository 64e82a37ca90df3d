import { admissionPolicies } from '../areas/admission-policies.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(admissionPolicies);
