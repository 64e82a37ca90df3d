import { admissionPolicies } from '../areas/admission-policies.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(admissionPolicies);
