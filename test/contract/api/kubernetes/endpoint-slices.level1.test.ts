import { endpointSlices } from '../areas/endpoint-slices.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(endpointSlices);
