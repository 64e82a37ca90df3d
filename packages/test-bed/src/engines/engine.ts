import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { AuditLog } from './audit-log.ts';
import { readBed } from './bed.ts';
import type { EngineImages } from './engine-images.ts';
import { openEngineWithPods } from './engine-with-pods.ts';
import { connectKubernetes } from './kubernetes-engine.ts';

/** The identity of a client. Defaults to the administrator. */
export type Identity =
  /** A user that the administrator impersonates. */
  | { user: string; group?: string }
  /** A user with a client certificate signed by the cluster. */
  | { certificateOf: string; group?: string }
  /** A service account with its own token. */
  | { serviceAccount: string; namespace: string };

export interface Capabilities {
  /** Pods are processes with real exits, signals, probes and files. */
  realPods: boolean;
  /** Pods are scheduled and become Ready, but no process runs in them. An annotation makes them fail. */
  simulatedPods: boolean;
  auditLog: boolean;
}

/** The address of another server for a client, such as a FaultProxy. */
export interface Address {
  url: string;
  /** PEM of the CA to trust. Defaults to the CA of the cluster. */
  authority?: string | undefined;
}

/**
 * The interface of a test to its cluster, implemented by real Kubernetes and by the local cluster. A test that uses
 * only this interface runs on both.
 */
export interface Engine extends EngineImages {
  readonly name: 'kubernetes' | 'local';
  readonly level: 1 | 2;
  /** The administrator's kubeconfig. `kubeconfigOf` creates one for another identity. */
  readonly kubeconfig: string;
  readonly kubectl: string;
  /** Images that every cluster has; `loadProgramImage` adds others. With simulated pods they are only names. */
  readonly images: { busybox: string; node: string };
  readonly capabilities: Capabilities;
  /** Access to the API server, for tests with their own client or a proxy. */
  access(who?: Identity): Promise<ClusterAccess>;
  connect(who?: Identity): Promise<KubeClient>;
  /** The path of a new kubeconfig for programs that run as another identity or use another address. */
  kubeconfigOf(who: Identity | undefined, at?: Address): Promise<string>;
  /** Creates a namespace that is ready for pods. `close` requests its deletion without waiting for it. */
  namespace(): Promise<string>;
  /** Throws when `capabilities.auditLog` is false. */
  auditLog(): AuditLog;
  /** Releases all resources of this engine. Call it in `afterAll`. */
  close(): Promise<void>;
}

/**
 * The cluster in the environment variable TRIMTAB_BED. Throws with instructions when it is not set.
 * TRIMTAB_ENGINE=local selects a local cluster in this process instead.
 */
export async function currentEngine(): Promise<Engine> {
  if (process.env['TRIMTAB_ENGINE'] === 'local') return openEngineWithPods();
  return connectKubernetes(await readBed(process.env['TRIMTAB_BED']));
}
