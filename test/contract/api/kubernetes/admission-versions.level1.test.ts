import { admissionVersions } from '../areas/admission-versions.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(admissionVersions);
