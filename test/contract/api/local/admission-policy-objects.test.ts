import { admissionPolicyObjects } from '../areas/admission-policy-objects.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(admissionPolicyObjects);
