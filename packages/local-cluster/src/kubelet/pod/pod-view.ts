import type { Pod } from '../../objects/pod.ts';
import type { BackOffLimits } from './back-off.ts';
import type { Records } from './container-record.ts';
import type { ProbeVerdict } from './probe-results.ts';

/** The complete state of a pod at one point in time. Plan and status are computed from it alone. */
export interface PodView {
  pod: Pod;
  records: Records;
  verdictOf(containerId: string): ProbeVerdict;
  /** The volumes and the address of the pod are ready. */
  placed: boolean;
  podIP?: string;
  hostIP: string;
  /** When the kubelet accepted the pod. */
  startedAt: number;
  now: number;
  limits: BackOffLimits;
  /** The object was deleted without waiting for the kubelet, or the kubelet is shutting down. */
  leaving?: 'object-gone' | 'kubelet-ends';
  /** Upper limit for the grace period while the kubelet shuts down; 0 kills all containers at once. */
  patienceSeconds?: number;
}

/**
 * Why a pod terminates. `deleted`: its deletion was requested. `finished`: no container is left to run, or its phase is
 * already final. `deadline`: it was active longer than activeDeadlineSeconds.
 */
export type Ending = 'deleted' | 'finished' | 'deadline' | NonNullable<PodView['leaving']>;
