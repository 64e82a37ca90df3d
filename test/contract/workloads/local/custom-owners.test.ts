import { holdsOnLocal } from '../../api/on-local.ts';
import { customOwners } from '../areas/custom-owners.ts';

holdsOnLocal(customOwners);
