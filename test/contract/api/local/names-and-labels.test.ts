import { namesAndLabels } from '../areas/names-and-labels.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(namesAndLabels);
