import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { FinishedActivation } from '../core/status/finished-activation.ts';
import type { ClusterCache } from './cache/cluster-cache.ts';
import type { CoalescingWindow } from './version/coalescing-window.ts';

/** What all reconcilers of one controller share. */
export interface ControllerContext {
  client: KubeClient;
  cluster: ClusterCache;
  log: Logger;
  clock: Clock;
  coalescing: CoalescingWindow;
  /** Tells people what happened, on the object they would look at. Never fails, never waits. */
  recordEvent(about: EventSubject, type: 'Normal' | 'Warning', reason: string, message: string): void;
  /** For the metrics: an activation has ended, and that was written down. */
  countActivation(finished: FinishedActivation): void;
  /** Manifests made for Reloader count as opt-ins. */
  reloaderAnnotations: boolean;
}

export interface EventSubject {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
}

/** Who writes, in `managedFields` and the audit log. */
export const fieldManager = 'trimtab';
