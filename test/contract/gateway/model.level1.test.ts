import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listCall, modelCalls, type Stage } from '../../support/gateway/model-calls.ts';
import { ProposalModel } from '../../support/gateway/proposal-model.ts';
import { VersionsScene } from '../../support/gateway/versions-scene.ts';

let scene: VersionsScene;

beforeAll(async () => {
  scene = await VersionsScene.start();
});

afterAll(() => scene?.close());

/** Repeat a run with what it printed: TRIMTAB_SEED=… */
const seed = Number(process.env['TRIMTAB_SEED'] ?? Date.now() % 2 ** 31);

test(`whatever is asked in whatever order, the gateway does what the proposal says (seed ${seed})`, async () => {
  let runs = 0;
  const plurals = fc.constantFrom('configmaps' as const, 'secrets' as const);
  const calls = fc.array(fc.oneof(...modelCalls), { minLength: 15, maxLength: 20, size: 'max' });
  await fc.assert(
    fc.asyncProperty(plurals, calls, async (plural, sequence) => {
      runs += 1;
      const prefix = `run${runs}`;
      const stage: Stage = { scene, plural, nameOf: (config) => `${prefix}-${config}` };
      const model = new ProposalModel();
      for (const call of sequence)
        expect([String(call), await call.actual(stage)]).toEqual([String(call), call.expected(model)]);
      for (const name of model.names) {
        const list = listCall(name);
        expect(await list.actual(stage)).toEqual(list.expected(model));
      }
    }),
    { seed, numRuns: 30, endOnFailure: false, interruptAfterTimeLimit: 150_000 },
  );
}, 180_000);
