import type { ReasonEntry } from './reason-entry.ts';

const on = 'condition and event';
const fixConfig = 'Correct the config; the message names the pod, the container and its exit code.';
const fixCluster = 'Resolve the cause that the message names; the rollout continues by itself.';
const fixImage = 'Correct the image or the access to its registry; the rollout continues by itself.';

/** Why pods fail with a version. The activation is rolled back. */
const failures = {
  CrashLoopBackOff: {
    on,
    meaning: 'A container with the new version crashes repeatedly.',
    remedy: fixConfig,
  },
  Crashed: { on, meaning: 'A container with the new version exited with an error.', remedy: fixConfig },
  Restarted: {
    on,
    meaning: 'A container with the new version restarted more often than `maxRestarts` allows.',
    remedy: fixConfig,
  },
  LivenessProbeFailed: {
    on,
    meaning: 'The kubelet restarted a container with the new version because its liveness probe failed.',
    remedy: fixConfig,
  },
  ReadyLost: {
    on,
    meaning: 'A pod became Ready with the new version and then lost readiness.',
    remedy: fixConfig,
  },
  CreateContainerConfigError: {
    on,
    meaning: 'The kubelet cannot create a container, most likely because a config or key is missing.',
    remedy: fixConfig,
  },
  ProgressDeadlineExceeded: {
    on,
    meaning: 'A pod with the new version was not Ready within `progressDeadlineSeconds`.',
    remedy: fixConfig,
  },
  Refused: {
    on,
    meaning: 'An application refused the new version when its agent reloaded it.',
    remedy: 'Correct the config; the message names the pod and the answer of the application.',
  },
  NotAcknowledged: {
    on,
    meaning:
      'The agent of a pod did not acknowledge the new version within `ackTimeoutSeconds`. If other pods did, the activation is rolled back; otherwise it waits.',
    remedy: 'Check the container trimtab-agent of the pod, and that it reaches the gateway.',
  },
} as const satisfies Record<string, ReasonEntry>;

/** Why a workload cannot be judged. The config may be correct: the activation waits and rejects nothing. */
const inconclusive = {
  TemplateChangedToo: {
    on,
    meaning:
      'A workload fails, and its pod template changed in other ways since it was last healthy, so the config may not be the cause.',
    remedy: 'Correct the pod template or the config.',
  },
  NoProgress: {
    on,
    meaning: 'The controller of a workload creates no pods with the new version.',
    remedy: 'Check kube-controller-manager and the events of the workload.',
  },
  AgentMissing: {
    on,
    meaning:
      'A pod of a workload with `trimtab.dev/restart: "false"` has no agent, so it cannot be reloaded.',
    remedy: 'Check that the pod webhook of Trimtab is installed, and restart the workload.',
  },
  FailedCreate: {
    on,
    meaning: 'Pods cannot be created, for example because of a quota or an admission policy.',
    remedy: fixCluster,
  },
  Unschedulable: { on, meaning: 'The scheduler finds no node for a pod.', remedy: fixCluster },
  NodeLost: { on, meaning: 'The node of a pod is lost or was drained.', remedy: fixCluster },
  ErrImagePull: { on, meaning: 'An image cannot be pulled.', remedy: fixImage },
  ImagePullBackOff: { on, meaning: 'An image cannot be pulled; the kubelet retries.', remedy: fixImage },
  InvalidImageName: { on, meaning: 'The name of an image is not valid.', remedy: fixImage },
  ErrImageNeverPull: {
    on,
    meaning: 'An image is not on the node, and `imagePullPolicy` is Never.',
    remedy: fixImage,
  },
  ImageInspectError: { on, meaning: 'The container runtime cannot inspect an image.', remedy: fixImage },
  RegistryUnavailable: { on, meaning: 'The registry of an image is not available.', remedy: fixImage },
  SignatureValidationFailed: { on, meaning: 'The signature of an image is not valid.', remedy: fixImage },
} as const satisfies Record<string, ReasonEntry>;

export const podReasons = { ...failures, ...inconclusive };

export type PodReason = keyof typeof podReasons;
