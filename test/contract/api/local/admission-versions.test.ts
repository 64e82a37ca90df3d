import { admissionVersions } from '../areas/admission-versions.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(admissionVersions);
