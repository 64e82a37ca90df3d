import { identity } from '../areas/identity.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(identity);
