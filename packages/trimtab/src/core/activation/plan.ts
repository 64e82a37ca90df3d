import type { ManagedReferences } from '../references/assignment.ts';
import type { ConfigKey } from '../references/config-key.ts';
import { judgeReload, podBaselines, type ReloadedPod, reportDelayMs } from '../workload/reload-verdict.ts';
import { type HealthMemory, judge } from '../workload/verdict.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { moveCommand } from './move.ts';
import { repairCommands, rewriteCommand } from './repair.ts';
import { planRollback } from './rollback.ts';
import { deleteAbandonedPods } from './stuck-pods.ts';
import {
  type Activation,
  type ActivationMemory,
  type ActivationOutcome,
  type Command,
  noMemory,
  type Plan,
  type WorkloadPod,
  type WorkloadReport,
  type WorkloadState,
} from './types.ts';
import { awaitsSuccessor, wantedReferences, wasMoved } from './wanted-references.ts';

/** Plans one reconciliation of an activation: what to write, its outcome, and what to remember for the next one. */
export function planActivation(
  activation: Activation,
  workloads: readonly WorkloadState[],
  memory: ActivationMemory,
  now: number,
): Plan {
  const plan = planPhase(activation, workloads, memory, now);
  // The rollback that follows writes all workloads anyway.
  if (['failed', 'aborting'].includes(plan.outcome.result)) return plan;
  const written = new Set(plan.commands.map(({ workload }) => workload));
  const rewrites = workloads.flatMap((each) => (written.has(each.key) ? [] : (rewriteCommand(each) ?? [])));
  return { ...plan, commands: [...plan.commands, ...rewrites] };
}

function planPhase(
  activation: Activation,
  workloads: readonly WorkloadState[],
  memory: ActivationMemory,
  now: number,
): Plan {
  if (activation.phase === 'rolling-back') return planRollback(activation, workloads);
  if (activation.abort !== undefined) {
    // As after a failure, the targets are marked before the first workload is reverted.
    const outcome = { result: 'aborting' as const, reason: activation.abort };
    return { ...planRollback(activation, workloads), commands: [], outcome };
  }
  if (activation.rules.paused) {
    const pinned = workloads.filter(({ pin }) => pin !== undefined);
    const reports = new Map(
      workloads.map((each) => [each.key, { state: pinned.includes(each) ? 'pinned' : 'pending' } as const]),
    );
    const commands = pinned.flatMap(repairCommands);
    return { commands, outcome: { result: 'paused' }, workloads: reports, memory: noMemory };
  }
  return planMoves(activation, workloads, memory, now);
}

function planMoves(
  activation: Activation,
  workloads: readonly WorkloadState[],
  before: ActivationMemory,
  now: number,
): Plan {
  const waves = [...new Set(workloads.map(({ wave }) => wave))].sort((a, b) => a - b);
  const openWave = before.openWave ?? highestBegun(activation, workloads) ?? waves[0];
  const open = workloads.filter(({ wave }) => openWave !== undefined && wave <= openWave);
  const plans = open.map((workload) => planWorkload(activation, workload, before, now));
  const reports = new Map<WorkloadKey, WorkloadReport>(
    workloads.map(({ key }) => [key, { state: 'pending' }]),
  );
  for (const { key, report } of plans) reports.set(key, report);
  const health = new Map(plans.flatMap(({ key, health }) => (health === undefined ? [] : [[key, health]])));
  const plan: Plan = {
    commands: plans.flatMap(({ commands }) => commands ?? []),
    outcome: { result: 'moving' },
    workloads: reports,
    memory: { openWave, healthySince: undefined, idleSince: undefined, health },
  };
  const problem = decisiveOutcome(activation, plans);
  // A failure stops all moves at once, because a workload that moves now would have to be reverted.
  if (problem?.result === 'failed') return { ...plan, commands: [], outcome: problem };
  const standings = plans.map(({ report }) => standingOf(report));
  if (standings.includes('open'))
    return { ...plan, ...(problem && { outcome: problem }), ...nextDeadline(plan.memory, activation, now) };
  const isJudged = standings.includes('judged') && !standings.includes('unknown');
  if (activation.back && !isJudged)
    return withNextWave(plan, waves) ?? { ...plan, outcome: { result: 'done' } };
  if (standings.includes('unknown') || (standings.includes('unproven') && !isJudged))
    return whileIdle(plan, plans, problem, activation, before, now);
  if (isJudged) return afterBake(plan, before.healthySince ?? now, activation, waves, now);
  return withoutPods(plan, activation, waves);
}

/**
 * What the report of a workload means for the activation. `open`: it will be judged. `unknown`: nobody can judge it
 * now, and it keeps the version from becoming current. `unproven`: its failure proves nothing. `aside`: it does not take
 * part.
 */
function standingOf({ state }: WorkloadReport): 'open' | 'judged' | 'unknown' | 'unproven' | 'aside' {
  switch (state) {
    case 'healthy':
      return 'judged';
    case 'waiting':
    case 'inconclusive':
    case 'scaled to zero':
      return 'unknown';
    case 'not judged':
      return 'unproven';
    case 'left':
    case 'pinned':
    case 'no pods':
      return 'aside';
    default:
      return 'open';
  }
}

/** Nobody can judge the version: waits for a progress deadline, then parks the activation. */
function whileIdle(
  plan: Plan,
  plans: readonly WorkloadPlan[],
  problem: ActivationOutcome | undefined,
  { parked, rules }: Activation,
  before: ActivationMemory,
  now: number,
): Plan {
  const idleSince = before.idleSince ?? now;
  const leftMs = idleSince + rules.progressDeadlineMs - now;
  const memory = { ...plan.memory, idleSince };
  const isLate = plans.some(({ report }) => report.state === 'inconclusive' && report.late);
  const first = plans.find(({ report }) => ['unknown', 'unproven'].includes(standingOf(report)));
  if (first !== undefined && (parked || isLate || leftMs <= 0))
    return { ...plan, memory, outcome: { result: 'parked', workload: first.key } };
  return { ...plan, memory, ...(problem && { outcome: problem }), requeueAfterMs: leftMs };
}

/** All open waves are healthy: waits for the bake time, then opens the next wave or ends the activation. */
function afterBake(
  plan: Plan,
  healthySince: number,
  { rules }: Activation,
  waves: number[],
  now: number,
): Plan {
  const bakeLeftMs = rules.bakeMs - (now - healthySince);
  if (bakeLeftMs > 0)
    return { ...plan, memory: { ...plan.memory, healthySince }, requeueAfterMs: bakeLeftMs };
  // `healthySince` is kept until the status is written, so a failed write does not restart the bake time.
  return (
    withNextWave(plan, waves) ?? {
      ...plan,
      memory: { ...plan.memory, healthySince },
      outcome: { result: 'done' },
    }
  );
}

/**
 * No workload of the open waves takes part: they have left, are pinned, or want no pods. There is nothing to bake. A pinned
 * workload judges the version when it is unpinned, so the activation waits for that.
 */
function withoutPods(plan: Plan, { hadPods = [] }: Activation, waves: number[]): Plan {
  const next = withNextWave(plan, waves);
  if (next !== undefined) return next;
  const find = (wanted: WorkloadReport['state']) =>
    [...plan.workloads].find(([, { state }]) => state === wanted);
  const pinned = find('pinned');
  if (pinned !== undefined) return { ...plan, outcome: { result: 'parked', workload: pinned[0] } };
  const left = find('left');
  const isAborted = left !== undefined || hadPods.some((key) => !plan.workloads.has(key));
  if (isAborted) return { ...plan, outcome: { result: 'aborted', workload: left?.[0] } };
  return { ...plan, outcome: { result: 'done', noPods: true } };
}

function withNextWave(plan: Plan, waves: readonly number[]): Plan | undefined {
  const { openWave } = plan.memory;
  const next = waves.find((wave) => openWave !== undefined && wave > openWave);
  if (next === undefined) return undefined;
  return { ...plan, memory: { ...plan.memory, openWave: next }, requeueAfterMs: 0 };
}

interface WorkloadPlan {
  key: WorkloadKey;
  report: WorkloadReport;
  commands?: Command[];
  health?: HealthMemory;
}

function planWorkload(
  activation: Activation,
  workload: WorkloadState,
  before: ActivationMemory,
  now: number,
): WorkloadPlan {
  const { key, assignment, record, templateHash, observed, pods } = workload;
  if (workload.pin !== undefined)
    return { key, report: { state: 'pinned' }, commands: repairCommands(workload) };
  const moved = wasMoved(activation, workload);
  // The label of a workload that was undone during an earlier attempt for the same versions names them, too.
  if (assignment === 'pinned' && moved && !activation.begins) return { key, report: { state: 'left' } };
  if (awaitsSuccessor(activation, workload)) return { key, report: { state: 'progressing' } };
  if (assignment !== 'ours' || !moved)
    return {
      key,
      report: { state: 'progressing' },
      commands: [moveCommand(activation, workload)],
      ...(workload.isReloaded && { health: beforePush(workload, before.health.get(key), now) }),
    };
  const wanted = wantedReferences(activation, workload);
  const previous = record?.previous;
  const observation = {
    workload: observed,
    failingBefore: new Set(record?.failingBefore),
    seenHealthy:
      record?.healthyTemplate !== undefined ||
      // Pods that became Ready with the previous version after the move show that the workload can be healthy.
      pods.some(
        (pod) => previous && pod.ready && !runs(pod.references, wanted) && runs(pod.references, previous),
      ),
    wantedPods: record?.noPods !== true || observed.desired > 0,
    parked: activation.parked === true,
    templateChangedToo: record?.healthyTemplate !== undefined && record.healthyTemplate !== templateHash,
    maxRestarts: activation.rules.maxRestarts,
    progressDeadlineMs: activation.rules.progressDeadlineMs,
  };
  const { verdict, memory } = workload.isReloaded
    ? judgeReload(
        {
          ...observation,
          pods: pods.map((pod) => reloadedPod(pod, wanted)),
          ackTimeoutMs: activation.rules.ackTimeoutMs,
        },
        before.health.get(key),
        now,
      )
    : judge(
        { ...observation, newPods: pods.filter((pod) => runs(pod.references, wanted)) },
        before.health.get(key),
        now,
      );
  return {
    key,
    report: verdict,
    health: memory,
    commands: [...noteWantedPods(workload), ...deleteAbandonedPods(workload, [wanted, record?.previous])],
  };
}

/** The memory of a workload whose pods are about to be told: what they do later is compared with this. */
function beforePush({ pods }: WorkloadState, before: HealthMemory | undefined, now: number): HealthMemory {
  const empty = { seen: '', progressedAt: now, readyPods: new Set<string>(), wasHealthy: false };
  return { ...empty, ...before, baseline: before?.baseline ?? podBaselines(pods) };
}

function reloadedPod(pod: WorkloadPod, wanted: ManagedReferences): ReloadedPod {
  const refusal = [...wanted].flatMap(([config, object]) => {
    const refused = pod.agent?.refusals.get(config);
    return refused?.object === object ? refused.reason : [];
  })[0];
  return {
    ...pod,
    hasAgent: pod.agent !== undefined,
    // A pod that was created with the versions has not acknowledged them: its agent may not reach the gateway.
    acknowledged: pod.agent?.hasReported === true && runs(pod.references, wanted),
    refusal,
  };
}

/** A workload that was scaled up and down again must not count as one that never wanted pods. */
function noteWantedPods({ key, record, observed }: WorkloadState): Command[] {
  if (!record?.noPods || observed.desired === 0) return [];
  const { noPods: _, ...wanting } = record;
  return [{ do: 'note', workload: key, record: wanting }];
}

/** Returns the problem that decides the outcome; a failure takes precedence over an inconclusive result. */
function decisiveOutcome(
  { rules }: Activation,
  plans: readonly WorkloadPlan[],
): ActivationOutcome | undefined {
  const results = plans.flatMap(({ key, report }): ActivationOutcome[] => {
    if (report.state === 'inconclusive') return [{ result: 'stuck', workload: key, problem: report.problem }];
    if (report.state !== 'failed') return [];
    const result = rules.onFailure === 'Rollback' ? 'failed' : 'stuck';
    return [{ result, workload: key, problem: report.problem }];
  });
  return results.find(({ result }) => result === 'failed') ?? results[0];
}

/** Finds the open waves after a controller restart: a wave with a workload on the targets was opened before. */
function highestBegun(activation: Activation, workloads: readonly WorkloadState[]): number | undefined {
  const begun = workloads
    .filter((workload) => workload.pin === undefined && wasMoved(activation, workload))
    .map(({ wave }) => wave);
  return begun.length === 0 ? undefined : Math.max(...begun);
}

function runs(pod: ManagedReferences, wanted: ReadonlyMap<ConfigKey, string>): boolean {
  return [...wanted].every(([config, object]) => pod.get(config) === object);
}

function nextDeadline(
  { health }: ActivationMemory,
  { rules }: Activation,
  now: number,
): { requeueAfterMs?: number } {
  const left = [...health.values()].flatMap(({ progressedAt, baseline }) => [
    progressedAt + rules.progressDeadlineMs - now,
    // Only reloaded workloads have a baseline.
    ...(baseline === undefined ? [] : [progressedAt + rules.ackTimeoutMs + reportDelayMs - now]),
  ]);
  const ahead = left.filter((ms) => ms > 0);
  return ahead.length === 0 ? {} : { requeueAfterMs: Math.min(...ahead) };
}
