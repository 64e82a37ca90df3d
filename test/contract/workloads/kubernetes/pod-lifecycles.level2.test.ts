import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { podLifecycles } from '../areas/pod-lifecycles.ts';

holdsOnKubernetes(podLifecycles);
