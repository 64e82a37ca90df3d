import { holdsOnLocal } from '../../api/on-local.ts';
import { endpointSlices } from '../areas/endpoint-slices.ts';

holdsOnLocal(endpointSlices);
