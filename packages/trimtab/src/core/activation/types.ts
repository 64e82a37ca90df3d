import type { Assignment, ManagedReferences } from '../references/assignment.ts';
import type { ConfigKey } from '../references/config-key.ts';
import type { ObservedPod, ObservedWorkload } from '../workload/observed.ts';
import type { PodProblem } from '../workload/pod-failure.ts';
import type { HealthMemory, Verdict } from '../workload/verdict.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';

/** A version as an activation sees it. */
export interface VersionRef {
  name: string;
  /** The name of its ConfigMap or Secret. */
  object: string;
  contentHash: string;
}

/** One config of an activation, and where it goes. */
export interface Member {
  config: ConfigKey;
  target: VersionRef;
}

/** What an activation holds all its members to: the strictest of what their rollouts say. */
export interface ActivationRules {
  bakeMs: number;
  progressDeadlineMs: number;
  maxRestarts: number;
  onFailure: 'Rollback' | 'Pause';
  paused: boolean;
}

/**
 * One attempt to make the targets of its members current, with one id and one fate. `rolling-back` is a fact:
 * the targets' versions are marked rejected before the first workload is reverted.
 */
export interface Activation {
  /** `<lineage>-<n>`: an activation that supersedes another one has the same lineage and the next number. */
  id: string;
  phase: 'moving' | 'rolling-back';
  members: readonly Member[];
  rules: ActivationRules;
}

/** A workload that references a member of the activation, as it is now. */
export interface WorkloadState {
  key: WorkloadKey;
  wave: number;
  /** What its template names for each managed config. */
  references: ManagedReferences;
  /** It wants another config managed, whose rollout is not there yet. */
  isPartial?: boolean;
  /** The current version's object of each of them. */
  current: ManagedReferences;
  assignment: Assignment;
  /** The label `trimtab.dev/assigned`: what we assigned last. */
  label: string | undefined;
  /** What we wrote down when we moved it; gone after `rollout undo` or `kubectl replace`. */
  record: AssignmentRecord | undefined;
  /** Hash of its template without regard to versions. */
  templateHash: string;
  observed: ObservedWorkload;
  pods: readonly WorkloadPod[];
}

/** A pod and the managed configs that it runs with. */
export interface WorkloadPod extends ObservedPod {
  references: ManagedReferences;
}

/** The annotation `trimtab.dev/assignment`, written in the same patch as the template. */
export interface AssignmentRecord {
  activation: string;
  /** The references and the label that it had before: what a rollback restores. */
  previous: ManagedReferences;
  previousLabel: string | undefined;
  /** A workload that was unhealthy before is no reason to roll back. */
  healthyBefore: boolean;
  /** Hash of the last template that was healthy, without regard to versions. */
  healthyTemplate: string | undefined;
  /** A rollback has just moved it: that it is not well yet is our doing, until it has been seen healthy again. */
  recovering?: boolean;
}

/** What must be written, in this order. Each is safe to repeat. */
export type Command =
  | {
      do: 'assign';
      workload: WorkloadKey;
      references: ManagedReferences;
      label: string;
      record: AssignmentRecord;
    }
  /** Writes down what is known of a workload, and moves nothing. */
  | { do: 'note'; workload: WorkloadKey; record: AssignmentRecord }
  | {
      do: 'revert';
      workload: WorkloadKey;
      references: ManagedReferences;
      label: string | undefined;
      record: AssignmentRecord;
    }
  /** A StatefulSet waits for its broken pod for ever, even when its template is the old one again. */
  | { do: 'delete pod'; workload: WorkloadKey; pod: string; uid: string };

/** A workload that waits to be moved, because it was well until a moment ago. */
export interface SettleWait {
  /** Monotonic time since when it has come no further. */
  since: number;
  /** The most pods that were available meanwhile. */
  available: number;
}

/** What is remembered between two looks, in memory only: a new leader starts to count anew. */
export interface ActivationMemory {
  /** The highest wave that has been opened. */
  openWave: number | undefined;
  /** Monotonic time since when all open waves have been healthy. */
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
  /** All is healthy and baked: the targets are current. */
  | { result: 'done' }
  /** Reject the targets, then go on in phase `rolling-back`. */
  | { result: 'failed'; workload: WorkloadKey; problem: PodProblem }
  /** A person has to look: `problem` says at what. It goes on by itself when that is over. */
  | { result: 'stuck'; workload: WorkloadKey; problem: PodProblem }
  | { result: 'paused' }
  | { result: 'rolled back' };

export type WorkloadReport =
  | Verdict
  /** Its wave is not open yet. */
  | { state: 'pending' }
  /** It lacks pods and nobody knows why: it is not moved yet. */
  | { state: 'settling' }
  /** Somebody changed its references since we moved it: it is out of this activation. */
  | { state: 'pinned' }
  /** It was unhealthy before. */
  | { state: 'ignored' }
  | { state: 'reverting' };

export interface Plan {
  commands: Command[];
  outcome: ActivationOutcome;
  workloads: ReadonlyMap<WorkloadKey, WorkloadReport>;
  memory: ActivationMemory;
  /** Look again after this long, though nothing may have changed. */
  requeueAfterMs?: number;
}
