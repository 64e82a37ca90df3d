import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, expect, test } from 'vitest';
import { scenarios } from './scenarios.ts';
import { Mutant, type Mutation } from './support/mutant.ts';
import { Stage } from './support/stage.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const bugs: [what: string, keyof typeof scenarios, Mutation, caught: RegExp][] = [
  [
    'the bake is skipped',
    'twoWaves',
    {
      file: 'src/core/activation/plan.ts',
      from: 'const bakeLeftMs = rules.bakeMs - (now - healthySince);',
      to: 'const bakeLeftMs = 0 * (rules.bakeMs - (now - healthySince));',
    },
    /Deployment\/worker was moved early: Deployment\/web has been well for \d+ ms only/,
  ],
  [
    'a wave is skipped',
    'twoWaves',
    {
      file: 'src/core/activation/plan.ts',
      from: 'const openWave = before.openWave ??',
      to: 'const openWave = waves.at(-1) ?? before.openWave ??',
    },
    /Deployment\/worker was moved early: Deployment\/web/,
  ],
  [
    'the status is written before the patch',
    'twoWaves',
    {
      file: 'src/controller/activation/activation-reconciler.ts',
      from: '    const marking = allSettled(',
      to: '    for (const each of members) await writeOutcome(this.#context, observed, each, planned, undefined, this.#pace, { signal });\n    const marking = allSettled(',
    },
    /tells that 1\.0\.1 is on its way, and no workload was moved/,
  ],
  [
    'a rollback is lost',
    'rolledBack',
    {
      file: 'src/core/activation/rollback.ts',
      from: "if (assignment === 'ours' && wasMoved(activation, workload)) {",
      to: "if (assignment === 'ours' && wasMoved(activation, workload) && workload.wave > 1) {",
    },
    /tells that 1\.0\.1 was rolled back, and Deployment\/web still names it/,
  ],
];

test.concurrent.each(bugs)('%s: that is caught', async (_, name, mutation, caught) => {
  await using mutant = await Mutant.of(mutation);
  await using stage = await Stage.open(engine, { controller: { program: mutant.program } });
  await stage.controllers.start();
  const found = await stage.play(scenarios[name]).then(
    ({ violations }) => violations.join('\n'),
    (error: unknown) => String(error),
  );
  expect(found).toMatch(caught);
});
