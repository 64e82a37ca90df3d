import { podDefaults } from '../areas/pod-defaults.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(podDefaults);
