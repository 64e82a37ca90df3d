import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { customOwners } from '../areas/custom-owners.ts';

holdsOnKubernetes(customOwners);
