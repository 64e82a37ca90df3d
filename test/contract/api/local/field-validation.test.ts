import { fieldValidation } from '../areas/field-validation.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(fieldValidation);
