import type { ManagedReferences } from '../references/assignment.ts';
import { type ConfigKey, configName } from '../references/config-key.ts';
import { type HealthMemory, judge } from '../workload/verdict.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { moveCommand } from './move.ts';
import { planRollback } from './rollback.ts';
import { mustSettle, settleRemainingMs, settleWait } from './settle-before-move.ts';
import { deleteStuckPods } from './stuck-pods.ts';
import {
  type Activation,
  type ActivationMemory,
  type ActivationOutcome,
  type Command,
  noMemory,
  type Plan,
  type SettleWait,
  type WorkloadReport,
  type WorkloadState,
} from './types.ts';
import { wantedReferences, wasMoved } from './wanted-references.ts';

/** Plans one reconciliation of an activation: what to write, its outcome, and what to remember for the next one. */
export function planActivation(
  activation: Activation,
  workloads: readonly WorkloadState[],
  memory: ActivationMemory,
  now: number,
): Plan {
  if (activation.phase === 'rolling-back') return planRollback(activation, workloads);
  if (activation.rules.paused) {
    const pending = new Map(workloads.map(({ key }) => [key, { state: 'pending' as const }]));
    return { commands: [], outcome: { result: 'paused' }, workloads: pending, memory: noMemory };
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
  const settling = new Map(
    plans.flatMap(({ key, settling }) => (settling === undefined ? [] : [[key, settling]])),
  );
  const plan: Plan = {
    commands: plans.flatMap(({ commands }) => commands ?? []),
    outcome: { result: 'moving' },
    workloads: reports,
    memory: { openWave, healthySince: undefined, health: health, settling: settling },
  };
  const problem = decisiveOutcome(activation, plans);
  // A failure stops all moves at once, because a workload that moves now would have to be reverted.
  if (problem?.result === 'failed') return { ...plan, commands: [], outcome: problem };
  if (!plans.every(({ report }) => isSettled(report))) {
    return { ...plan, ...(problem && { outcome: problem }), ...nextDeadline(plan.memory, activation, now) };
  }
  return afterBake(plan, before.healthySince ?? now, activation, waves, now);
}

/** All open waves are healthy: waits for the bake time, then opens the next wave or ends the activation. */
function afterBake(
  plan: Plan,
  healthySince: number,
  { rules }: Activation,
  waves: number[],
  now: number,
): Plan {
  const { openWave } = plan.memory;
  // Without workloads there is nothing to bake.
  if (openWave === undefined) return { ...plan, outcome: { result: 'done' } };
  const bakeLeftMs = rules.bakeMs - (now - healthySince);
  if (bakeLeftMs > 0)
    return { ...plan, memory: { ...plan.memory, healthySince }, requeueAfterMs: bakeLeftMs };
  const next = waves.find((wave) => wave > openWave);
  // `healthySince` is kept until the status is written, so a failed write does not restart the bake time.
  if (next === undefined)
    return { ...plan, memory: { ...plan.memory, healthySince }, outcome: { result: 'done' } };
  return { ...plan, memory: { ...plan.memory, openWave: next }, requeueAfterMs: 0 };
}

interface WorkloadPlan {
  key: WorkloadKey;
  report: WorkloadReport;
  commands?: Command[];
  health?: HealthMemory;
  settling?: SettleWait;
}

function planWorkload(
  activation: Activation,
  workload: WorkloadState,
  before: ActivationMemory,
  now: number,
): WorkloadPlan {
  const { key, assignment, record, templateHash } = workload;
  const moved = wasMoved(activation, workload);
  if (assignment === 'pinned' && moved) return { key, report: { state: 'pinned' } };
  if (assignment !== 'ours' || !moved) {
    const settling = mustSettle(activation, workload)
      ? settleWait(workload.observed, before.settling.get(key), now)
      : undefined;
    const base = { key, ...(settling && { settling }) };
    if (settling !== undefined && settleRemainingMs(settling, activation.rules, now) > 0)
      return { ...base, report: { state: 'settling' } };
    return { ...base, report: { state: 'progressing' }, commands: [moveCommand(activation, workload)] };
  }
  if (record?.healthyBefore === false) return { key, report: { state: 'ignored' } };
  const wanted = wantedReferences(activation, workload);
  const observation = {
    workload: workload.observed,
    newPods: workload.pods.filter((pod) => runs(pod.references, wanted)),
    templateChangedToo: record?.healthyTemplate !== undefined && record.healthyTemplate !== templateHash,
    maxRestarts: activation.rules.maxRestarts,
    progressDeadlineMs: activation.rules.progressDeadlineMs,
  };
  const { verdict, memory } = judge(observation, before.health.get(key), now);
  return { key, report: verdict, health: memory, commands: deleteSuperseded(workload, wanted) };
}

/** A StatefulSet can be stuck on a pod of a version that this activation superseded. */
function deleteSuperseded(workload: WorkloadState, wanted: ManagedReferences): Command[] {
  const { record, observed } = workload;
  if (record === undefined || observed.strategy === 'OnDelete') return [];
  const isKnown = ([config, object]: [ConfigKey, string]) =>
    [wanted.get(config), record.previous.get(config), configName(config)].includes(object);
  return deleteStuckPods(
    workload,
    // Pods below the partition run older versions because the user set the partition.
    ({ name, references }) => ordinalOf(name) >= observed.partition && ![...references].every(isKnown),
  );
}

function ordinalOf(pod: string): number {
  return Number(pod.slice(pod.lastIndexOf('-') + 1));
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
  const begun = workloads.filter((workload) => wasMoved(activation, workload)).map(({ wave }) => wave);
  return begun.length === 0 ? undefined : Math.max(...begun);
}

function runs(pod: ManagedReferences, wanted: ReadonlyMap<ConfigKey, string>): boolean {
  return [...wanted].every(([config, object]) => pod.get(config) === object);
}

function isSettled({ state }: WorkloadReport): boolean {
  return state === 'healthy' || state === 'pinned' || state === 'ignored';
}

function nextDeadline(
  { health, settling }: ActivationMemory,
  { rules }: Activation,
  now: number,
): { requeueAfterMs?: number } {
  const left = [
    ...[...health.values()].map(({ progressedAt }) => progressedAt + rules.progressDeadlineMs - now),
    ...[...settling.values()].map((hold) => settleRemainingMs(hold, rules, now)),
  ];
  const ahead = left.filter((ms) => ms > 0);
  return ahead.length === 0 ? {} : { requeueAfterMs: Math.min(...ahead) };
}
