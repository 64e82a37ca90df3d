import { holdsOnLocal } from '../../api/on-local.ts';
import { scheduling } from '../areas/scheduling.ts';

holdsOnLocal(scheduling);
