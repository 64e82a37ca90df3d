import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { Mutant, type Mutation } from '../support/mutant.ts';
import type { ControllerProgram } from './driven-controller.ts';
import { runSeeds } from './run-seeds.ts';

/** Each bug is found within these seeds. */
const seeds = Array.from({ length: 100 }, (_, index) => index + 1);

const bugs: [what: string, Mutation, caught: RegExp][] = [
  [
    'the bake is skipped',
    {
      file: 'src/core/activation/plan.ts',
      from: 'const bakeLeftMs = rules.bakeMs - (now - healthySince);',
      to: 'const bakeLeftMs = 0 * (rules.bakeMs - (now - healthySince));',
    },
    /was moved early|became current early/,
  ],
  [
    'a rollback leaves a workload behind',
    {
      file: 'src/core/activation/rollback.ts',
      from: "if (assignment === 'ours' && wasMoved(activation, workload)) {",
      to: "if (assignment === 'ours' && wasMoved(activation, workload) && workload.wave > 1) {",
    },
    /was rolled back, and .* still names it|Waited in vain/,
  ],
  [
    'the status is written before the patch',
    {
      file: 'src/controller/activation/activation-reconciler.ts',
      from: '    const marking = allSettled(',
      to: '    for (const each of members) await writeOutcome(this.#context, observed, each, planned, undefined, { signal });\n    const marking = allSettled(',
    },
    /is on its way, and no workload was moved/,
  ],
];

test.each(bugs)('%s: the runs find it', { timeout: 300_000 }, async (_, mutation, caught) => {
  await using mutant = await Mutant.of(mutation);
  const from = (file: string) => import(pathToFileURL(join(mutant.sources, file)).href);
  const program: ControllerProgram = {
    runController: (await from('controller/controller.ts')).runController,
  };
  for await (const { failure } of runSeeds(seeds, program)) {
    if (failure === undefined) continue;
    expect(failure).toMatch(caught);
    return;
  }
  expect.unreachable('no run has found it');
});
