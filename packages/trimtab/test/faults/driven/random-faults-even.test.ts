import { shareOfRuns } from './share-of-runs.ts';

shareOfRuns(0, 2);
