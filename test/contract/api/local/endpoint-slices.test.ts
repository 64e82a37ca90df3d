import { endpointSlices } from '../areas/endpoint-slices.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(endpointSlices);
