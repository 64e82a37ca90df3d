import { holdsOnLocal } from '../../api/on-local.ts';
import { clusterContents } from '../areas/cluster-contents.ts';

holdsOnLocal(clusterContents);
