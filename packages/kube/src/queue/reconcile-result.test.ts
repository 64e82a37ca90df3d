import { expect, test } from 'vitest';
import { decideNext, type Next, type ReconcileResult, type Run } from './reconcile-result.ts';

const returned = (outcome?: ReconcileResult): Run => ({ result: 'returned', outcome });
const threw: Run = { result: 'threw' };

test.each<[string, Run, boolean, Next]>([
  ['it returned nothing', returned(), false, { next: 'nothing' }],
  ['it returned no time', returned({}), false, { next: 'nothing' }],
  ['it returned a time', returned({ requeueAfterMs: 5 }), false, { next: 'after', ms: 5 }],
  ['it returned no wait at all', returned({ requeueAfterMs: 0 }), false, { next: 'at-once' }],
  ['its cache is stale', returned({ staleCache: true }), false, { next: 'catch up', atOnce: false }],
  [
    'its cache is stale, and the key was added meanwhile',
    returned({ staleCache: true }),
    true,
    { next: 'catch up', atOnce: true },
  ],
  ['it threw', threw, false, { next: 'retry', atOnce: false }],
  ['it returned nothing, and the key was added meanwhile', returned(), true, { next: 'at-once' }],
  [
    'it returned a time, and the key was added meanwhile',
    returned({ requeueAfterMs: 5 }),
    true,
    { next: 'at-once' },
  ],
  ['it threw, and the key was added meanwhile', threw, true, { next: 'retry', atOnce: true }],
])('%s', (_, run, addedWhileRunning, next) => {
  expect(decideNext(run, addedWhileRunning)).toEqual(next);
});
