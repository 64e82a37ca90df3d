/** The fields of workloads and pods that decisions use. Objects are reduced to them as they arrive from a watch. */

export type WorkloadKind = 'Deployment' | 'StatefulSet' | 'DaemonSet';

export interface ObservedWorkload {
  kind: WorkloadKind;
  generation: number;
  /** 0 until the workload controller has observed the workload for the first time. */
  observedGeneration: number;
  /** Desired number of pods. */
  desired: number;
  /** Existing pods. */
  replicas: number;
  /** Pods of the newest template. */
  updated: number;
  ready: number;
  available: number;
  strategy: 'RollingUpdate' | 'Recreate' | 'OnDelete';
  /** StatefulSet: pods with a lower ordinal keep the old template. */
  partition: number;
  /** The workload controller reported that the newest template is rolled out, whether or not it is healthy now. */
  rolledOut: boolean;
  /** The workload controller gave up on the newest template (progress deadline of a Deployment). */
  stalled: boolean;
  /** Deployment: paused by `kubectl rollout pause`. */
  paused: boolean;
  /** Message of the workload controller when it cannot create pods (quota, admission). */
  createFailure?: string | undefined;
}

export interface ObservedPod {
  name: string;
  uid: string;
  ready: boolean;
  terminating: boolean;
  /** Message of the scheduler when it finds no node for the pod. */
  unschedulable?: string | undefined;
  /** Message when the node of the pod is lost or was drained. */
  nodeProblem?: string | undefined;
  /** In start order, with init containers first. */
  containers: ObservedContainer[];
}

export interface ObservedContainer {
  name: string;
  restarts: number;
  hasLivenessProbe: boolean;
  /** The pod was Ready after the last restart of this container: the restarts are history. */
  recovered?: boolean;
  /** Why the container is not running yet, as reported by the kubelet. */
  waiting?: { reason: string; message?: string | undefined } | undefined;
  /** How the container ended, if it is not running. */
  terminated?: Termination | undefined;
  /** How the previous run of the container ended. */
  lastTerminated?: Termination | undefined;
}

export interface Termination {
  exitCode: number;
  reason?: string | undefined;
  message?: string | undefined;
}
