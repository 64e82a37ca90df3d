import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { clusterContents } from '../areas/cluster-contents.ts';

holdsOnKubernetes(clusterContents);
