import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { CollectedActivation } from '../activation/collect-activations.ts';
import type { RolloutState } from '../activation/rollout-state.ts';
import type { Member, Plan, VersionRef, WorkloadState } from '../activation/types.ts';
import type { LiveConfig } from '../version/intent.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import type { Problem } from './conditions.ts';

export interface StatusInput {
  before: ConfigRolloutStatus | undefined;
  generation: number;
  state: RolloutState;
  /** The live config; undefined when it does not exist or cannot be read. */
  live: LiveConfig | undefined;
  specVersion: string | undefined;
  /** The id of the last request for `spec.version`. */
  requestId: string | undefined;
  /** The annotation `trimtab.dev/retry`. */
  retry: string | undefined;
  /** The activation that this config belongs to, as planned and applied. */
  activation: (CollectedActivation & { plan: Plan; by: string | undefined }) | undefined;
  /** Its managed workloads. */
  workloads: readonly WorkloadState[];
  /** Why there is no live content, or why the live content cannot become a version. */
  versionProblem: Problem | undefined;
  /** The config is Locked and does not hold its current version. What it holds is observed when that is current again. */
  isBehind: boolean;
  /** Why a Locked config does not hold its current version. */
  followProblem: Problem | undefined;
  /** The rejection annotation of the wanted version. */
  rejected: string | undefined;
  /** Workloads whose opt-in is gone. */
  optInLost: readonly string[];
  /** Workloads that opted out and stay managed for now, and why. */
  optOutWaits: readonly string[];
  /** Workloads that want a reload and are recycled, because their pods have no agent. */
  reloadUnavailable: readonly string[];
  /** Workloads that want admission to write versions into their pods, where nothing would do so, and why. */
  admissionUnavailable: readonly { workload: WorkloadKey; why: string; isMiswritten: boolean }[];
  /** Pods that name the config although their annotation assigns a version of it. */
  notRewritten: readonly string[];
  /** Workloads whose template assigns what is no version of the config, and what is wrong. */
  invalidVersions: readonly string[];
  /** Containers of reloaded workloads that read the config as environment variables, such as `Deployment web, container app`. */
  environment: readonly string[];
  /** References whose field two managers apply, such as `Deployment web, volume c: helm and argocd`. */
  coApplied: readonly string[];
  /** References of its workloads that are not managed, and why. */
  unmanaged: readonly string[];
  /** Keys that the wanted version lacks although a template names them, where that does not stop the activation. */
  keyWarnings: readonly string[];
  /** What is wrong with the pins of its workloads. */
  invalidPins: readonly string[];
  /** Messages about workloads that were set to a version which was rolled back. */
  rejectedPins: readonly string[];
  /** Why the API server denied a change of a workload. */
  denied: string | undefined;
  now: string;
}

export type Phase = NonNullable<ConfigRolloutStatus['phase']>;

/** The part of this config in its activation. */
export function memberOf({
  activation,
  state,
}: Pick<StatusInput, 'activation' | 'state'>): Member | undefined {
  return activation?.activation.members.find(({ config }) => config === state.config);
}

/** The version that is current with this status. */
export function currentOf(input: Pick<StatusInput, 'activation' | 'state'>): VersionRef | undefined {
  const target = input.activation?.plan.outcome.result === 'done' ? memberOf(input)?.target : undefined;
  return target ?? input.state.current;
}

/** The activation ends with this status. */
export function hasEnded({ activation }: Pick<StatusInput, 'activation'>): boolean {
  return ['done', 'rolled back', 'aborted'].includes(activation?.plan.outcome.result ?? '');
}
