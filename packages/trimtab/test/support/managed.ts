import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { annotations } from '../../src/api/names.ts';

/** A workload that opts in with all configs that its template names. */
export const managed = annotated({ [annotations.manage]: 'true' });

/** Lower waves finish healthy before higher ones start. */
export const inWave = (wave: number) => annotated({ [annotations.wave]: String(wave) });
