import { podRules } from '../areas/pod-rules.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(podRules);
