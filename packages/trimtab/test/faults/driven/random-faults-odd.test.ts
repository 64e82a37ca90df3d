import { shareOfRuns } from './share-of-runs.ts';

shareOfRuns(1, 2);
