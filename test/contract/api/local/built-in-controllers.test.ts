import { builtInControllers } from '../areas/built-in-controllers.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(builtInControllers);
