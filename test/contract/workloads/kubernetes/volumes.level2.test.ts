import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { volumeContract } from '../areas/volumes.ts';

holdsOnKubernetes(volumeContract);
