import { badInput } from '../areas/bad-input.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(badInput);
