import { holdsOnLocal } from '../../api/on-local.ts';
import { garbageCollection } from '../areas/garbage-collection.ts';

holdsOnLocal(garbageCollection);
