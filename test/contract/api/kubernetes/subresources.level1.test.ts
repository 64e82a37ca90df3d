import { subresources } from '../areas/subresources.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(subresources);
