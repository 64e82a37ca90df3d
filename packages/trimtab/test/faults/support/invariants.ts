import type { Checker } from './invariants/checker.ts';
import { configsOfPods } from './invariants/configs-of-pods.ts';
import { deletionsRecorded } from './invariants/deletions-recorded.ts';
import { facts } from './invariants/facts.ts';
import { judged } from './invariants/judged.ts';
import { lockedFollows } from './invariants/locked-follows.ts';
import { pinsKept } from './invariants/pins-kept.ts';
import { secretsNotHashed } from './invariants/secrets-not-hashed.ts';
import { stages } from './invariants/stages.ts';
import { statusLast } from './invariants/status-last.ts';
import { versionsKept } from './invariants/versions-kept.ts';
import type { Entry } from './timeline.ts';
import { World } from './world.ts';

/**
 * Checks a timeline against all invariants, which must hold at every moment and for every fault of the controller.
 * Returns the violations in order. `staleMs` is how old the state may be that a controller decides on: what users do to a
 * workload within this time before a version becomes current may not have been observed.
 */
export function violations(timeline: readonly Entry[], staleMs = 5_000): string[] {
  const checkers: Checker[] = [
    facts(),
    stages(staleMs),
    judged(staleMs),
    statusLast(),
    pinsKept(),
    versionsKept(),
    configsOfPods(),
    deletionsRecorded(),
    secretsNotHashed(),
    lockedFollows(),
  ];
  const world = new World();
  const found = timeline.flatMap((entry) => {
    const before = world.objects.get(entry.key);
    world.apply(entry);
    return checkers.flatMap(({ step }) =>
      step({ entry, before, world }).map((what) => `at revision ${entry.revision}: ${what}`),
    );
  });
  return [...found, ...checkers.flatMap(({ end }) => end?.(world) ?? [])];
}
