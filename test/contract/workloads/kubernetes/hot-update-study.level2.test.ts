import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { hotUpdateStudy } from '../areas/hot-update-study.ts';

holdsOnKubernetes(hotUpdateStudy);
