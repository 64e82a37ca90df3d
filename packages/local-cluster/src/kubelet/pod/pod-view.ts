import type { Pod } from '../../objects/pod.ts';
import type { BackOffLimits } from './back-off.ts';
import type { Records } from './container-record.ts';
import type { ProbeVerdict } from './probe-results.ts';

/** Everything that is known of a pod at one moment; plans and status are made of nothing else. */
export interface PodView {
  pod: Pod;
  records: Records;
  verdictOf(containerId: string): ProbeVerdict;
  /** Its volumes and its address are there. */
  placed: boolean;
  podIP?: string;
  hostIP: string;
  /** When the kubelet took it on. */
  startedAt: number;
  now: number;
  limits: BackOffLimits;
  /** The object is gone without having waited for us, or the kubelet itself ends. */
  leaving?: 'object-gone' | 'kubelet-ends';
  /** Who stops the kubelet waits no longer than this; 0: everything is killed at once. */
  patienceSeconds?: number;
}

/**
 * Why a pod ends. `deleted`: it was asked to; `finished`: nothing is left to run, or its phase says so already;
 * `deadline`: it was active for too long.
 */
export type Ending = 'deleted' | 'finished' | 'deadline' | NonNullable<PodView['leaving']>;
