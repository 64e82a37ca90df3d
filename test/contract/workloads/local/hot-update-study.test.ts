import { hotUpdateStudy } from '../areas/hot-update-study.ts';
import { holdsOnLocalKubelet } from '../on-local-kubelet.ts';

holdsOnLocalKubelet(hotUpdateStudy);
