import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { Mutant, type Mutation } from '../support/mutant.ts';
import { restartedEdit, scaledEdit, undoneMidway } from './deeds/during-rollouts.ts';
import { badTogether, lockedRequest, replaced } from './deeds/edits.ts';
import { pinnedEdit } from './deeds/steering.ts';
import { crashedBefore } from './deeds/workloads.ts';
import type { ControllerProgram } from './driven-controller.ts';
import { runSeeds } from './run-seeds.ts';
import type { Deed } from './story.ts';

/** Each bug is found within these seeds. Runs of 1,000 seeds find each of them without a given deed, too. */
const seeds = Array.from({ length: 60 }, (_, index) => index + 1);

/** A workload that proves nothing counts as healthy. */
const unprovenIsHealthy: Mutation = {
  file: 'src/core/activation/plan.ts',
  from: "return 'unproven';",
  to: "return 'judged';",
};
const unjudged = /became current, and|became current early|Waited in vain/;

const bugs: [what: string, Mutation[], caught: RegExp, deed?: Deed][] = [
  [
    'the bake is skipped',
    [
      {
        file: 'src/core/activation/plan.ts',
        from: 'const bakeLeftMs = rules.bakeMs - (now - healthySince);',
        to: 'const bakeLeftMs = 0 * (rules.bakeMs - (now - healthySince));',
      },
    ],
    /was moved early|became current early/,
  ],
  [
    'a rollback leaves a workload behind',
    [
      {
        file: 'src/core/activation/rollback.ts',
        from: "if (assignment === 'ours' && wasMoved(activation, workload)) {",
        to: "if (assignment === 'ours' && wasMoved(activation, workload) && workload.wave > 1) {",
      },
    ],
    /was rolled back, and .* still names it|Waited in vain/,
  ],
  [
    'an activation moves a pinned workload',
    [
      {
        file: 'src/core/activation/plan.ts',
        from: '  if (workload.pin !== undefined)',
        to: '  if (workload.pin !== undefined && !activation.begins)',
      },
    ],
    /is pinned, and was moved to/,
    pinnedEdit,
  ],
  [
    'the status is written before the patch',
    [
      {
        file: 'src/controller/activation/activation-reconciler.ts',
        from: '    const marking = allSettled(',
        to: '    for (const each of members) await writeOutcome(this.#context, observed, each, planned, undefined, this.#pace, { signal });\n    const marking = allSettled(',
      },
    ],
    /is on its way, and no workload was moved/,
  ],
  [
    'a workload that is being scaled up counts as broken before, and its result is ignored',
    [
      {
        file: 'src/core/activation/move.ts',
        from: 'const failingBefore = failuresBefore(workload, wanted, activation.rules.maxRestarts);',
        to: "const failingBefore = isHealthy(observed) ? failuresBefore(workload, wanted, activation.rules.maxRestarts) : ['config-error app', 'crash app'];",
      },
      unprovenIsHealthy,
    ],
    unjudged,
    scaledEdit,
  ],
  [
    'restarts in the past of a pod count as a failure before, and its result is ignored',
    [
      {
        file: 'src/core/workload/pod-failure.ts',
        from: 'if (pod.ready || externalCause(pod) !== undefined) return undefined;',
        to: 'if (externalCause(pod) !== undefined) return undefined;',
      },
      {
        file: 'src/core/workload/pod-failure.ts',
        from: '(each.recovered ? { ...each, restarts: 0 } : each)',
        to: 'each',
      },
      unprovenIsHealthy,
    ],
    unjudged,
    crashedBefore,
  ],
  [
    'a reference to a Secret that cannot have versions counts as managed',
    [
      {
        file: 'src/core/references/managed-references.ts',
        from: 'if (name !== config || hasCurrentVersion(key))',
        to: "if (name !== config || kind === 'Secret' || hasCurrentVersion(key))",
      },
    ],
    /Waited in vain/,
  ],
  [
    'an optional reference to a missing ConfigMap is waited for',
    [
      {
        file: 'src/controller/workload/versionless-configs.ts',
        from: "return never('it does not exist');",
        to: 'return soon;',
      },
    ],
    /Waited in vain/,
  ],
  [
    'a config that lost its label counts as deleted, and its edit is lost',
    [
      {
        file: 'src/core/status/rollout-status.ts',
        from: 'const known = isDeferred || live === undefined ?',
        to: 'const known = isDeferred ?',
      },
      {
        file: 'src/controller/activation/activation-reconciler.ts',
        from: 'if (rollout.rollout.status?.observed !== undefined && isUnknown) continue;',
        to: '',
      },
    ],
    /Waited in vain/,
    replaced,
  ],
  [
    'a workload that was undone counts as healthy',
    [
      {
        file: 'src/core/activation/plan.ts',
        from: "    case 'healthy':\n",
        to: "    case 'healthy':\n    case 'left':\n",
      },
    ],
    /became current, and all workloads have left/,
    undoneMidway,
  ],
  [
    'annotations of a template count as a change of the template',
    [
      {
        file: 'src/core/references/assignment.ts',
        from: "const { spec } = replaceReferences(template, () => '');",
        to: "const spec = replaceReferences(template, () => '');",
      },
    ],
    /Waited in vain/,
    restartedEdit,
  ],
  [
    'what was rejected is tried again with each edit of a neighbour',
    [
      {
        file: 'src/core/activation/collect-activations.ts',
        from: 'const next = fresh.length > 0 ? fresh :',
        to: 'const next = fresh.length > 0 ? its :',
      },
    ],
    /Waited in vain/,
    badTogether,
  ],
  [
    'a Locked config is overwritten before its content is a version',
    [
      {
        file: 'src/core/version/follow-plan.ts',
        from: '  if (kept === undefined) return nothing;',
        to: '  if (kept === undefined) return { follow: "write", version, kept: version };',
      },
      {
        file: 'src/controller/locked/locked-configs.ts',
        from: 'held !== version.contentHash && !isKept)',
        to: 'held !== version.contentHash && false)',
      },
    ],
    /is Locked and lost content that is not a version/,
    lockedRequest,
  ],
  [
    'versions are deleted that the ledger does not record',
    [
      {
        file: 'src/controller/retention/retention.ts',
        from: "if (job !== 'own' && !isDeletedName(ledger, version?.name ?? '')) continue;",
        to: '',
      },
      {
        file: 'src/controller/retention/retention.ts',
        from: '[...unrecorded, ...plan.delete, ...plan.release]',
        to: '[...unrecorded, ...plan.release]',
      },
    ],
    /the ledger does not record|was used before/,
  ],
  [
    'the status holds a hash of a Secret',
    [
      {
        file: 'src/core/status/rollout-status.ts',
        from: "version: version?.name ?? ''",
        to: 'version: live.hash',
      },
    ],
    /holds a hash of the content of Secret/,
  ],
];

test.each(bugs)('%s: the runs find it', { timeout: 300_000 }, async (_, mutations, caught, deed) => {
  await using mutant = await Mutant.of(...mutations);
  const from = (file: string) => import(pathToFileURL(join(mutant.sources, file)).href);
  const program: ControllerProgram = {
    runController: (await from('controller/controller.ts')).runController,
  };
  for await (const { failure } of runSeeds(seeds, { program, ...(deed && { deed }) })) {
    if (failure === undefined) continue;
    expect(failure).toMatch(caught);
    return;
  }
  expect.unreachable('no run has found it');
});
