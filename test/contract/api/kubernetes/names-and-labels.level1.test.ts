import { namesAndLabels } from '../areas/names-and-labels.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(namesAndLabels);
