import { objectMetadata } from '../areas/object-metadata.ts';
import { holdsOnLocal } from '../on-local.ts';

holdsOnLocal(objectMetadata);
