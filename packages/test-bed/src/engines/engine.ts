import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { AuditLog } from './audit-log.ts';
import { readBed } from './bed.ts';
import { openEngineWithPods } from './engine-with-pods.ts';
import { connectKubernetes } from './kubernetes-engine.ts';

/** Who asks. Without one, the administrator does. */
export type Identity =
  /** Impersonated by the administrator. */
  | { user: string; group?: string }
  /** With a client certificate that the cluster has signed. */
  | { certificateOf: string; group?: string }
  /** With a token of its own. */
  | { serviceAccount: string; namespace: string };

export interface Capabilities {
  /** Pods are processes with real exits, signals, probes and files. */
  realPods: boolean;
  /** Pods get a node and become Ready, but nothing runs in them; `behaviour` makes them fail. */
  simulatedPods: boolean;
  auditLog: boolean;
}

/** Where else a client should go: a FaultProxy is one. */
export interface Address {
  url: string;
  /** PEM of the authority to trust; without it, the cluster's own. */
  authority?: string | undefined;
}

/**
 * What a test body may ask of the cluster it runs on. Real Kubernetes is one, the local cluster will be
 * another; a body that uses nothing but this runs on both.
 */
export interface Engine {
  readonly name: 'kubernetes' | 'local';
  readonly level: 1 | 2;
  /** The administrator's. `kubeconfigOf` makes one for somebody else. */
  readonly kubeconfig: string;
  readonly kubectl: string;
  /** Images that pods can have: names only, where pods are simulated. */
  readonly images: { busybox: string; node: string };
  readonly capabilities: Capabilities;
  /** How to reach the API server, for tests that bring their own client or put a proxy in between. */
  access(who?: Identity): Promise<ClusterAccess>;
  connect(who?: Identity): Promise<KubeClient>;
  /** The path of a kubeconfig for programs that are started as somebody else, or at another address. */
  kubeconfigOf(who: Identity | undefined, at?: Address): Promise<string>;
  /** A fresh namespace, ready for pods. `close` asks for its removal and does not wait for it. */
  namespace(): Promise<string>;
  /** Throws where `capabilities.auditLog` is false. */
  auditLog(): AuditLog;
  /** Gives back everything this engine handed out. Call it in `afterAll`. */
  close(): Promise<void>;
}

/**
 * The cluster that the environment variable TRIMTAB_BED names; throws with the way to get one. TRIMTAB_ENGINE=local
 * asks for a local cluster in this process instead.
 */
export async function currentEngine(): Promise<Engine> {
  if (process.env['TRIMTAB_ENGINE'] === 'local') return openEngineWithPods();
  return connectKubernetes(await readBed(process.env['TRIMTAB_BED']));
}
