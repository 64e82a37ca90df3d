import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { controllerManager } from '../api/names.ts';
import type { Reason } from '../api/reasons/reasons.ts';
import type { FinishedActivation } from '../core/status/finished-activation.ts';
import type { ClusterCache } from './cache/cluster-cache.ts';
import type { PodAdmission } from './pod-admission/pod-admission.ts';
import type { MountableSecrets } from './service-accounts/mountable-secrets.ts';
import type { CoalescingWindow } from './version/coalescing-window.ts';
import type { Denials } from './version/denials.ts';
import type { ReleaseDefaults } from './version/release-defaults.ts';
import type { MoveByAdmission } from './workload/move-by-admission.ts';
import type { ReferenceWays } from './workload/reference-way-of.ts';

/** Dependencies that all reconcilers of a controller share. */
export interface ControllerContext {
  client: KubeClient;
  /** The same client, without the cache: what it returns does not enter the cache. */
  direct: KubeClient;
  cluster: ClusterCache;
  log: Logger;
  clock: Clock;
  coalescing: CoalescingWindow;
  denials: Denials;
  /** Updates of Locked configs to their current version that the API server refuses. */
  followDenials: Denials;
  /** Release modes of configs that opt in without the annotation. */
  releaseDefaults: ReleaseDefaults;
  moves: MoveByAdmission;
  /** Records an Event about the given object. The call never throws and does not wait for the write. */
  recordEvent(about: EventSubject, type: 'Normal' | 'Warning', reason: Reason, message: string): void;
  /** Counts a finished activation, after its result was written to the status. */
  countActivation(finished: FinishedActivation): void;
  /** Whether this installation injects the agent, so that pods can be reloaded. */
  reloads: boolean;
  referenceWays: ReferenceWays;
  mountableSecrets: MountableSecrets;
  /** Undefined when the controller runs without webhook and policies. */
  podAdmission: PodAdmission | undefined;
  /** Whether Reloader's annotations count as opt-ins. */
  reloaderAnnotations: boolean;
}

export interface EventSubject {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
}

/** Field manager of all writes, shown in `managedFields`. */
export const fieldManager = controllerManager;
