import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { EventType, ObjectReference } from '@trimtab/kube/events/event-object.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import type { Informers } from './informers.ts';

/** The dependencies of every controller of the local cluster. */
export interface ControllerContext {
  /** Runs as the kube-system service account named after the controller. Its writes also enter the caches. */
  client: KubeClient;
  /** A client for another kube-system service account: admission rules exempt some controllers by name. */
  clientAs(account: string): KubeClient;
  informers: Informers;
  clock: Clock;
  log: Logger;
  /** Records an Event whose source component is the controller. */
  recordEvent(about: ObjectReference, type: EventType, reason: string, message: string): void;
}

/**
 * One controller of kube-controller-manager. A reconcile observes the caches, plans with pure functions, applies
 * conditional writes, writes the status last, and returns when to requeue. The object of the key may no longer exist,
 * and the process may be killed at any line.
 */
export interface LocalController {
  /** Also the source component of its Events, for example `deployment-controller`. */
  readonly name: string;
  /** Maximum number of keys reconciled concurrently. Defaults to 8. */
  readonly concurrency?: number;
  /** Subscribes to informers and calls `enqueue` with the keys to reconcile. Returns the functions that unsubscribe. */
  listen(enqueue: (key: string, afterMs?: number) => void): (() => void)[];
  reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined>;
  /** Called once, after the last reconcile. Releases everything except the subscriptions. */
  close?(): Promise<void>;
}

export type ControllerFactory = (context: ControllerContext) => LocalController;
