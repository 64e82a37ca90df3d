import { objectMetadata } from '../areas/object-metadata.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(objectMetadata);
