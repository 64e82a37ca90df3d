import { accessReviews } from '../areas/access-reviews.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(accessReviews);
