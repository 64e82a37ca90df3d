import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningController } from '../support/running-controller.ts';
import { ApiModel } from './support/api-model.ts';
import { controllerOf } from './support/controller-of.ts';
import {
  currentCall,
  firstCalls,
  listCall,
  type ModelCall,
  modelCalls,
  type Stage,
} from './support/model-calls.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;
let controller: RunningController;

beforeAll(async () => {
  scene = await VersionsScene.start();
  controller = await controllerOf(scene);
});

afterAll(async () => {
  await controller?.stop();
  await scene?.close();
});

/** To repeat a run, set TRIMTAB_SEED to the seed that it printed. */
const seed = Number(process.env['TRIMTAB_SEED'] ?? Date.now() % 2 ** 31);

test(`whatever is asked in whatever order, the gateway does what its API promises (seed ${seed})`, async () => {
  let runs = 0;
  const plurals = fc.constantFrom('configmaps' as const, 'secrets' as const);
  const calls = fc.array(fc.oneof(...modelCalls), { minLength: 15, maxLength: 20, size: 'max' });
  await fc.assert(
    fc.asyncProperty(plurals, firstCalls, calls, async (plural, first, others) => {
      runs += 1;
      const prefix = `run${runs}`;
      const stage: Stage = { scene, plural, nameOf: (config) => `${prefix}-${config}` };
      const model = new ApiModel();
      const compare = async (call: ModelCall) =>
        expect([String(call), await call.actual(stage)]).toEqual([String(call), call.expected(model)]);
      for (const call of [...first, ...others]) if (call.isPossible?.(model) ?? true) await compare(call);
      for (const name of model.names) for (const last of [listCall, currentCall]) await compare(last(name));
    }),
    {
      seed,
      numRuns: 30,
      endOnFailure: false,
      interruptAfterTimeLimit: 150_000,
      markInterruptAsFailure: true,
    },
  );
}, 180_000);
