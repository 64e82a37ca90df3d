import type { Assignment, ManagedReferences } from '../references/assignment.ts';
import type { ConfigKey } from '../references/config-key.ts';
import type { ObservedPod, ObservedWorkload } from '../workload/observed.ts';
import type { PodProblem } from '../workload/pod-failure.ts';
import type { HealthMemory, Verdict } from '../workload/verdict.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';

/** The fields of a version that activations use. */
export interface VersionRef {
  name: string;
  /** The name of its ConfigMap or Secret. */
  object: string;
  contentHash: string;
}

/** A config of an activation, and its target version. */
export interface Member {
  config: ConfigKey;
  target: VersionRef;
}

/** The rules of an activation: the strictest values of its members' rollouts. */
export interface ActivationRules {
  bakeMs: number;
  progressDeadlineMs: number;
  maxRestarts: number;
  onFailure: 'Rollback' | 'Pause';
  paused: boolean;
}

/**
 * One attempt to make the targets of its members current; all members succeed or fail together. The phase
 * `rolling-back` is recorded first: the targets are marked rejected before the first workload is reverted.
 */
export interface Activation {
  /** `<lineage>-<n>`: an activation that supersedes another has the same lineage and the next number. */
  id: string;
  phase: 'moving' | 'rolling-back';
  members: readonly Member[];
  rules: ActivationRules;
}

/** The observed state of a workload that references a member of the activation. */
export interface WorkloadState {
  key: WorkloadKey;
  wave: number;
  /** The object that its template references for each managed config. */
  references: ManagedReferences;
  /** The workload also opted in another config, whose ConfigRollout does not exist yet. */
  isPartial?: boolean;
  /** The object of the current version of each of these configs. */
  current: ManagedReferences;
  assignment: Assignment;
  /** The label `trimtab.dev/assigned`: hash of the references that Trimtab assigned last. */
  label: string | undefined;
  /** Written when Trimtab moved the workload; lost after `kubectl rollout undo` or `kubectl replace`. */
  record: AssignmentRecord | undefined;
  /** Hash of its template that ignores versions. */
  templateHash: string;
  observed: ObservedWorkload;
  pods: readonly WorkloadPod[];
}

/** A pod, and the versions of managed configs that it runs with. */
export interface WorkloadPod extends ObservedPod {
  references: ManagedReferences;
}

/** The annotation `trimtab.dev/assignment`, written in the same patch as the template. */
export interface AssignmentRecord {
  activation: string;
  /** The previous references and label, which a rollback restores. */
  previous: ManagedReferences;
  previousLabel: string | undefined;
  /** A workload that was unhealthy before the activation does not cause a rollback. */
  healthyBefore: boolean;
  /** Hash of the last healthy template, which ignores versions. */
  healthyTemplate: string | undefined;
  /** A rollback reverted the workload. Until it is healthy again, its problems are attributed to the rollback. */
  recovering?: boolean;
}

/** A write of a plan. Commands are applied in order; each is safe to repeat. */
export type Command =
  | {
      do: 'assign';
      workload: WorkloadKey;
      references: ManagedReferences;
      label: string;
      record: AssignmentRecord;
    }
  /** Updates the record of a workload without moving the workload. */
  | { do: 'note'; workload: WorkloadKey; record: AssignmentRecord }
  | {
      do: 'revert';
      workload: WorkloadKey;
      references: ManagedReferences;
      label: string | undefined;
      record: AssignmentRecord;
    }
  /** A StatefulSet controller waits for a broken pod forever, even after the template was reverted. */
  | { do: 'delete pod'; workload: WorkloadKey; pod: string; uid: string };

/** The wait of a workload that became unhealthy just before it would be moved. */
export interface SettleWait {
  /** Monotonic time of the last progress. */
  since: number;
  /** The highest number of available pods during the wait. */
  available: number;
}

/** State between reconciliations. It is kept in memory only, so a new leader starts without it. */
export interface ActivationMemory {
  /** The highest open wave. */
  openWave: number | undefined;
  /** Monotonic time since which all open waves have been healthy. */
  healthySince: number | undefined;
  health: ReadonlyMap<WorkloadKey, HealthMemory>;
  settling: ReadonlyMap<WorkloadKey, SettleWait>;
}

export const noMemory: ActivationMemory = {
  openWave: undefined,
  healthySince: undefined,
  health: new Map(),
  settling: new Map(),
};

export type ActivationOutcome =
  | { result: 'moving' }
  /** All workloads are healthy and the bake time has passed: the targets become current. */
  | { result: 'done' }
  /** The targets must be marked rejected; then the activation continues in phase `rolling-back`. */
  | { result: 'failed'; workload: WorkloadKey; problem: PodProblem }
  /** A user has to resolve `problem`. The activation continues by itself when the problem is gone. */
  | { result: 'stuck'; workload: WorkloadKey; problem: PodProblem }
  | { result: 'paused' }
  | { result: 'rolled back' };

export type WorkloadReport =
  | Verdict
  /** Its wave is not open yet. */
  | { state: 'pending' }
  /** The workload lacks pods without a known cause and is not moved yet. */
  | { state: 'settling' }
  /** Another client changed its references after the move; the workload left the activation. */
  | { state: 'pinned' }
  /** The workload was unhealthy before the activation, so its result does not count. */
  | { state: 'ignored' }
  | { state: 'reverting' };

export interface Plan {
  commands: Command[];
  outcome: ActivationOutcome;
  workloads: ReadonlyMap<WorkloadKey, WorkloadReport>;
  memory: ActivationMemory;
  /** Delay after which to reconcile again even if no object changes. */
  requeueAfterMs?: number;
}

/** The workload that decides a failed or stuck activation. `failed` is false when it cannot be judged. */
export function decidingWorkload({
  outcome,
  workloads,
}: Plan): { workload: WorkloadKey; problem: PodProblem; failed: boolean } | undefined {
  if (outcome.result !== 'failed' && outcome.result !== 'stuck') return undefined;
  const { result, workload, problem } = outcome;
  return { workload, problem, failed: result === 'failed' || workloads.get(workload)?.state === 'failed' };
}
