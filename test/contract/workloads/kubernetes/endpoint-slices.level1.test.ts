import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { endpointSlices } from '../areas/endpoint-slices.ts';

holdsOnKubernetes(endpointSlices);
