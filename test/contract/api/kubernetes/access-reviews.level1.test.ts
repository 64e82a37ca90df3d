import { accessReviews } from '../areas/access-reviews.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(accessReviews);
