import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { EventType, ObjectReference } from '@trimtab/kube/events/event-object.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import type { Informers } from './informers.ts';

/** What every controller of the local cluster works with. */
export interface ControllerContext {
  /** As the service account of kube-system that has the controller's name. The caches hear of its writes. */
  client: KubeClient;
  /** As another one: guards let some controllers do what nobody else may. */
  clientAs(account: string): KubeClient;
  informers: Informers;
  clock: Clock;
  log: Logger;
  /** An Event for people, under the name of the controller. */
  tell(about: ObjectReference, type: EventType, reason: string, message: string): void;
}

/**
 * One job of kube-controller-manager. Observe the caches, plan by pure functions, apply by guarded writes, write the
 * status last, answer when to look again. It may be called for a key that is gone, and be killed at any line.
 */
export interface LocalController {
  /** Also the component of its Events, as `deployment-controller`. */
  readonly name: string;
  /** How many keys are looked at at a time; 8 unless told. */
  readonly concurrency?: number;
  /** Subscribes to informers and calls `enqueue` with the keys to look at. Answers how to end that. */
  listen(enqueue: (key: string, afterMs?: number) => void): (() => void)[];
  reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined>;
  /** Called once, after the last look: gives back what it holds beside its subscriptions. */
  close?(): Promise<void>;
}

export type ControllerFactory = (context: ControllerContext) => LocalController;
