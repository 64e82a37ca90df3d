import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { garbageCollection } from '../areas/garbage-collection.ts';

holdsOnKubernetes(garbageCollection);
