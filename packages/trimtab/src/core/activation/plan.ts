import type { ManagedReferences } from '../references/assignment.ts';
import { type ConfigKey, configName } from '../references/config-key.ts';
import { judge, type Watchfulness } from '../workload/verdict.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { holdLeftMs, holdOf, isUnsteady, moveCommand } from './move.ts';
import { planRollback } from './rollback.ts';
import { deleteStuckPods } from './stuck-pods.ts';
import {
  type Activation,
  type ActivationMemory,
  type Command,
  type Hold,
  noMemory,
  type Outcome,
  type Plan,
  type WorkloadReport,
  type WorkloadState,
} from './types.ts';
import { wantedReferences, wasMoved } from './wanted-references.ts';

/** One look at an activation: what to write now, how it stands, and what to remember until the next look. */
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
  const looks = open.map((workload) => lookAt(activation, workload, before, now));
  const reports = new Map<WorkloadKey, WorkloadReport>(
    workloads.map(({ key }) => [key, { state: 'pending' }]),
  );
  for (const { key, report } of looks) reports.set(key, report);
  const watched = new Map(
    looks.flatMap(({ key, watched }) => (watched === undefined ? [] : [[key, watched]])),
  );
  const held = new Map(looks.flatMap(({ key, held }) => (held === undefined ? [] : [[key, held]])));
  const plan: Plan = {
    commands: looks.flatMap(({ commands }) => commands ?? []),
    outcome: { result: 'moving' },
    workloads: reports,
    memory: { openWave, healthySince: undefined, watched, held },
  };
  const trouble = worst(activation, looks);
  // A failure stops all moves at once: whatever moves now would have to be moved back.
  if (trouble?.result === 'failed') return { ...plan, commands: [], outcome: trouble };
  if (!looks.every(({ report }) => isSettled(report))) {
    return { ...plan, ...(trouble && { outcome: trouble }), ...nextDeadline(plan.memory, activation, now) };
  }
  return afterBake(plan, before.healthySince ?? now, activation, waves, now);
}

/** All open waves are healthy: wait for the bake, then open the next wave, or be done. */
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
  if (bakeLeftMs > 0) return { ...plan, memory: { ...plan.memory, healthySince }, wakeAfterMs: bakeLeftMs };
  const next = waves.find((wave) => wave > openWave);
  // Remembered until it is written down: a write that fails is no reason to bake once more.
  if (next === undefined)
    return { ...plan, memory: { ...plan.memory, healthySince }, outcome: { result: 'done' } };
  return { ...plan, memory: { ...plan.memory, openWave: next }, wakeAfterMs: 0 };
}

interface Look {
  key: WorkloadKey;
  report: WorkloadReport;
  commands?: Command[];
  watched?: Watchfulness;
  held?: Hold;
}

function lookAt(
  activation: Activation,
  workload: WorkloadState,
  before: ActivationMemory,
  now: number,
): Look {
  const { key, assignment, record, templateHash } = workload;
  const moved = wasMoved(activation, workload);
  if (assignment === 'pinned' && moved) return { key, report: { state: 'left' } };
  if (assignment !== 'ours' || !moved) {
    const held = isUnsteady(activation, workload)
      ? holdOf(workload.observed, before.held.get(key), now)
      : undefined;
    const look = { key, ...(held && { held }) };
    if (held !== undefined && holdLeftMs(held, activation.rules, now) > 0)
      return { ...look, report: { state: 'unsteady' } };
    return { ...look, report: { state: 'progressing' }, commands: [moveCommand(activation, workload)] };
  }
  if (record?.healthyBefore === false) return { key, report: { state: 'ignored' } };
  const wanted = wantedReferences(activation, workload);
  const look = {
    workload: workload.observed,
    newPods: workload.pods.filter((pod) => runs(pod.references, wanted)),
    templateChangedToo: record?.healthyTemplate !== undefined && record.healthyTemplate !== templateHash,
    maxRestarts: activation.rules.maxRestarts,
    progressDeadlineMs: activation.rules.progressDeadlineMs,
  };
  const { verdict, remember } = judge(look, before.watched.get(key), now);
  return { key, report: verdict, watched: remember, commands: deleteSuperseded(workload, wanted) };
}

/** A StatefulSet can be stuck on a pod of a version that this activation has superseded. */
function deleteSuperseded(workload: WorkloadState, wanted: ManagedReferences): Command[] {
  const { record, observed } = workload;
  if (record === undefined || observed.strategy === 'OnDelete') return [];
  const isKnown = ([config, object]: [ConfigKey, string]) =>
    [wanted.get(config), record.previous.get(config), configName(config)].includes(object);
  return deleteStuckPods(
    workload,
    // Pods below the partition are on older versions by a person's choice.
    ({ name, references }) => ordinalOf(name) >= observed.partition && ![...references].every(isKnown),
  );
}

function ordinalOf(pod: string): number {
  return Number(pod.slice(pod.lastIndexOf('-') + 1));
}

/** The trouble that decides: a failure before what is inconclusive. */
function worst({ rules }: Activation, looks: readonly Look[]): Outcome | undefined {
  const results = looks.flatMap(({ key, report }): Outcome[] => {
    if (report.state === 'inconclusive') return [{ result: 'stuck', workload: key, trouble: report.trouble }];
    if (report.state !== 'failed') return [];
    const result = rules.onFailure === 'Rollback' ? 'failed' : 'stuck';
    return [{ result, workload: key, trouble: report.trouble }];
  });
  return results.find(({ result }) => result === 'failed') ?? results[0];
}

/** After a restart of the controller: waves with a workload on the targets were opened before. */
function highestBegun(activation: Activation, workloads: readonly WorkloadState[]): number | undefined {
  const begun = workloads.filter((workload) => wasMoved(activation, workload)).map(({ wave }) => wave);
  return begun.length === 0 ? undefined : Math.max(...begun);
}

function runs(pod: ManagedReferences, wanted: ReadonlyMap<ConfigKey, string>): boolean {
  return [...wanted].every(([config, object]) => pod.get(config) === object);
}

function isSettled({ state }: WorkloadReport): boolean {
  return state === 'healthy' || state === 'left' || state === 'ignored';
}

function nextDeadline(
  { watched, held }: ActivationMemory,
  { rules }: Activation,
  now: number,
): { wakeAfterMs?: number } {
  const left = [
    ...[...watched.values()].map(({ progressedAt }) => progressedAt + rules.progressDeadlineMs - now),
    ...[...held.values()].map((hold) => holdLeftMs(hold, rules, now)),
  ];
  const ahead = left.filter((ms) => ms > 0);
  return ahead.length === 0 ? {} : { wakeAfterMs: Math.min(...ahead) };
}
