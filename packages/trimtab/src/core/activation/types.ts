import type { Assignment, ManagedReferences } from '../references/assignment.ts';
import type { ConfigKey } from '../references/config-key.ts';
import type { ObservedPod, ObservedWorkload } from '../workload/observed.ts';
import type { Pin } from '../workload/pin.ts';
import type { PodProblem } from '../workload/pod-failure.ts';
import type { HealthMemory, Verdict } from '../workload/verdict.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';

/** The fields of a version that activations use. */
export interface VersionRef {
  name: string;
  /** The name of its ConfigMap or Secret. */
  object: string;
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
  /** Reload: time for a pod to acknowledge a version. */
  ackTimeoutMs: number;
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
  /** It starts now: a workload that another client pinned was pinned before. */
  begins?: boolean;
  /** All targets are current: an edit was taken back. There is nothing to judge. */
  back?: boolean;
  /** Nobody could judge it for a progress deadline. It holds no workload until somebody can. */
  parked?: boolean;
  /** Its configs that were edited, so that an edit is about to supersede it; see `awaitsSuccessor`. */
  edited?: ReadonlySet<ConfigKey>;
  /** Why a user aborts it. In phase `rolling-back`: the user has aborted it, and its versions did not fail. */
  abort?: string;
  /** Its workloads that wanted pods, according to the status. Those that are missing now were deleted or have left. */
  hadPods?: readonly WorkloadKey[];
}

/** The observed state of a workload that references a member of the activation. */
export interface WorkloadState {
  key: WorkloadKey;
  wave: number;
  /** The object that its template references for each managed config, directly or by its annotation. */
  references: ManagedReferences;
  /** The template references two versions of one config. */
  isMixed?: boolean;
  /** The workload also opted in another config, whose ConfigRollout does not exist yet. */
  isPartial?: boolean;
  /** The template assigns the versions in another way than the workload wants; see `ReferenceWay`. */
  isMiswritten?: boolean;
  /** The pods are reloaded: versions are assigned in an annotation, and the template names the configs themselves. */
  isReloaded?: boolean;
  /** A user pinned the workload: no activation moves it. */
  pin?: Pin;
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
  /** Reload: what the agent of the pod has reported; undefined when the pod has no agent. */
  agent?: { hasReported: boolean; refusals: ReadonlyMap<ConfigKey, Refusal> };
}

/** The version that an application refused last. */
export interface Refusal {
  object: string;
  reason: string;
}

/** The annotation `trimtab.dev/assignment`, written in the same patch as the template. */
export interface AssignmentRecord {
  activation: string;
  /** The previous references and label, which a rollback restores. */
  previous: ManagedReferences;
  previousLabel: string | undefined;
  /** Ways in which pods failed before the first move of the attempt; new pods that fail alike prove nothing. */
  failingBefore?: readonly string[];
  /** No pod was wanted since the first move of the attempt. */
  noPods?: boolean;
  /** Admission assigned the versions, to a workload that changed together with its configs: see join-activation.ts. */
  joined?: true;
  /** Hash of the last healthy template, which ignores versions. Undefined when the workload was never healthy. */
  healthyTemplate: string | undefined;
}

/** A write of a plan. Commands are applied in order; each is safe to repeat. */
export type Command =
  | {
      do: 'assign';
      workload: WorkloadKey;
      references: ManagedReferences;
      label: string;
      record: AssignmentRecord;
      /** Reload: replace the pods, because some of them have no agent. The value is the id of the activation. */
      recycle?: string;
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
  /** Assigns the same versions in the way that the workload wants now. Whose choice they are does not change. */
  | {
      do: 'rewrite';
      workload: WorkloadKey;
      references: ManagedReferences;
      label: string | undefined;
      record: AssignmentRecord | undefined;
    }
  /** A StatefulSet controller waits for a broken pod forever, even after the template was reverted. */
  | { do: 'delete pod'; workload: WorkloadKey; pod: string; uid: string };

/** State between reconciliations. It is kept in memory only, so a new leader starts without it. */
export interface ActivationMemory {
  /** The highest open wave. */
  openWave: number | undefined;
  /** Monotonic time since which all open waves have been healthy. */
  healthySince: number | undefined;
  /** Monotonic time since which no workload can be judged. */
  idleSince: number | undefined;
  health: ReadonlyMap<WorkloadKey, HealthMemory>;
}

export const noMemory: ActivationMemory = {
  openWave: undefined,
  healthySince: undefined,
  idleSince: undefined,
  health: new Map(),
};

export type ActivationOutcome =
  | { result: 'moving' }
  /**
   * The targets become current: every workload that can be judged was healthy through the bake time. `noPods`: no pod
   * is wanted, so nothing was judged.
   */
  | { result: 'done'; noPods?: true }
  /** The targets must be marked rejected; then the activation continues in phase `rolling-back`. */
  | { result: 'failed'; workload: WorkloadKey; problem: PodProblem }
  /** A user aborts it: the targets must be marked, and the activation continues in phase `rolling-back`. */
  | { result: 'aborting'; reason: string }
  /** A user has to resolve `problem`. The activation continues by itself when the problem is gone. */
  | { result: 'stuck'; workload: WorkloadKey; problem: PodProblem }
  /** No workload can be judged, for a progress deadline; `workload` is the first of them. */
  | { result: 'parked'; workload: WorkloadKey }
  /** All workloads have left or were deleted: the targets are marked like rejected ones, and nothing is reverted. */
  | { result: 'aborted'; workload: WorkloadKey | undefined }
  | { result: 'paused' }
  /** `aborted`: a user asked for it. */
  | { result: 'rolled back'; aborted?: true };

export type WorkloadReport =
  | Verdict
  /** Its wave is not open yet. */
  | { state: 'pending' }
  /** Another client changed its references after the move: a veto for this workload. */
  | { state: 'left' }
  /** A user pinned it: it keeps its versions and does not judge the others. */
  | { state: 'pinned' }
  | { state: 'reverting' };

export interface Plan {
  commands: Command[];
  outcome: ActivationOutcome;
  workloads: ReadonlyMap<WorkloadKey, WorkloadReport>;
  memory: ActivationMemory;
  /** Delay after which to reconcile again even if no object changes. */
  requeueAfterMs?: number;
}

/**
 * The workload that decides a failed, stuck or parked activation, and its problem. `failed` is false when it cannot be
 * judged. Undefined when the workload waits for a user without having a problem.
 */
export function decidingWorkload({
  outcome,
  workloads,
}: Plan): { workload: WorkloadKey; problem: PodProblem; failed: boolean } | undefined {
  if (outcome.result === 'parked') {
    const report = workloads.get(outcome.workload);
    if (report?.state !== 'inconclusive' && report?.state !== 'not judged') return undefined;
    return { workload: outcome.workload, problem: report.problem, failed: false };
  }
  if (outcome.result !== 'failed' && outcome.result !== 'stuck') return undefined;
  const { result, workload, problem } = outcome;
  return { workload, problem, failed: result === 'failed' || workloads.get(workload)?.state === 'failed' };
}
