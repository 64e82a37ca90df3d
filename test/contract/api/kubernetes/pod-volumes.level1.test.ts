import { podVolumes } from '../areas/pod-volumes.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(podVolumes);
