import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { annotations } from '../../src/api/names.ts';

/** Opts a workload in with all configs that its pod template references. */
export const managed = annotated({ [annotations.manage]: 'true' });

/** Sets the wave of a workload. A wave starts when all lower waves are healthy. */
export const inWave = (wave: number) => annotated({ [annotations.wave]: String(wave) });
