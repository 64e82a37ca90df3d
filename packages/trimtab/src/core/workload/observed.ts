/** What decisions need to know of workloads and pods, reduced as they arrive from a watch. */

export type WorkloadKind = 'Deployment' | 'StatefulSet' | 'DaemonSet';

export interface ObservedWorkload {
  kind: WorkloadKind;
  generation: number;
  /** 0 until its controller has looked at it for the first time. */
  observedGeneration: number;
  /** Pods that there should be. */
  desired: number;
  /** Pods that there are. */
  replicas: number;
  /** Pods made from the newest template. */
  updated: number;
  ready: number;
  available: number;
  strategy: 'RollingUpdate' | 'Recreate' | 'OnDelete';
  /** StatefulSet: pods with a lower ordinal keep the old template. */
  partition: number;
  /** Its controller has said that the newest template is rolled out, be it healthy now or not. */
  rolledOut: boolean;
  /** Its controller has given up on the newest template (a Deployment's own deadline). */
  stalled: boolean;
  /** Deployment: somebody ran `kubectl rollout pause`. */
  paused: boolean;
  /** Its controller could not create pods (quota, admission): the message it left. */
  createFailure?: string | undefined;
}

export interface ObservedPod {
  name: string;
  uid: string;
  ready: boolean;
  terminating: boolean;
  /** The scheduler found no node for it: the message it left. */
  unschedulable?: string | undefined;
  /** Its node went away or was drained: why. */
  nodeProblem?: string | undefined;
  /** Init containers first, in the order in which they start. */
  containers: ObservedContainer[];
}

export interface ObservedContainer {
  name: string;
  restarts: number;
  hasLivenessProbe: boolean;
  /** Why it is not running yet, as the kubelet names it. */
  waiting?: { reason: string; message?: string | undefined } | undefined;
  /** How it ended, if it is not running. */
  terminated?: Termination | undefined;
  /** How it ended the time before. */
  lastTerminated?: Termination | undefined;
}

export interface Termination {
  exitCode: number;
  reason?: string | undefined;
  message?: string | undefined;
}
