import { podBindings } from '../areas/pod-bindings.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(podBindings);
