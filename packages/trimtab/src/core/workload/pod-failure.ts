import type { PodReason } from '../../api/reasons/pod-reasons.ts';
import type { ObservedContainer, ObservedPod, Termination } from './observed.ts';

/** Why a pod is unhealthy, with the details that a user needs to find the cause without another command. */
export interface PodProblem {
  reason: PodReason;
  pod: string;
  container?: string;
  exitCode?: number;
  message?: string;
}

/**
 * Returns a failure that does not resolve by waiting and that the content may cause, so the activation fails before
 * the deadline. `wasReady`: this pod was observed Ready during the activation.
 */
export function failureOf(pod: ObservedPod, wasReady: boolean, maxRestarts: number): PodProblem | undefined {
  if (pod.terminating) return undefined;
  for (const container of pod.containers) {
    const problem = containerFailure(container, maxRestarts);
    if (problem !== undefined) return { ...problem, pod: pod.name, container: container.name };
  }
  if (wasReady && !pod.ready && pod.nodeProblem === undefined && !hasEnded(pod)) {
    return {
      reason: 'ReadyLost',
      pod: pod.name,
      message: 'the pod became Ready with this version and then lost readiness',
    };
  }
  return undefined;
}

/**
 * In which way a pod fails, to compare it with the pods before: `crash app` or `config-error app`. A pod that crashes
 * in a loop shows several reasons in turn, which are one way of failing.
 */
export function failureMode({ reason, container = '' }: PodProblem): string {
  if (reason === 'CreateContainerConfigError') return `config-error ${container}`;
  if (reason === 'Refused' || reason === 'NotAcknowledged') return reason;
  return `${reason === 'ReadyLost' ? 'ready-lost' : 'crash'} ${container}`;
}

/** The ways of failing of containers that have crashed at least once; see `failureMode`. */
export function crashModes({ containers }: ObservedPod): string[] {
  return containers.filter((each) => crashes(each) > 0).map(({ name }) => `crash ${name}`);
}

/**
 * Returns the failure that a pod shows at this moment. A pod that is Ready is not failing, whatever restarts it had in
 * its past, nor do these restarts count when it is not Ready for another reason now.
 */
export function presentFailure(pod: ObservedPod, maxRestarts: number): PodProblem | undefined {
  if (pod.ready || externalCause(pod) !== undefined) return undefined;
  const containers = pod.containers.map((each) => (each.recovered ? { ...each, restarts: 0 } : each));
  return failureOf({ ...pod, containers }, false, maxRestarts);
}

/** When a container ends, its pod loses readiness as well. That is a crash, and crashes are counted separately. */
function hasEnded({ containers }: ObservedPod): boolean {
  return containers.some(
    ({ restarts, terminated }) => restarts > 0 || (terminated !== undefined && terminated.exitCode !== 0),
  );
}

function containerFailure(
  container: ObservedContainer,
  maxRestarts: number,
): Omit<PodProblem, 'pod'> | undefined {
  const { waiting, restarts } = container;
  if (waiting?.reason === 'CreateContainerConfigError')
    return { reason: waiting.reason, ...text(waiting.message) };
  const ended = container.terminated ?? container.lastTerminated;
  if (waiting?.reason === 'CrashLoopBackOff') return { reason: waiting.reason, ...describe(ended) };
  if (killedByLiveness(container))
    return { reason: 'LivenessProbeFailed', ...describe(container.lastTerminated) };
  if (crashes(container) > maxRestarts)
    return { reason: restarts > 0 ? 'Restarted' : 'Crashed', ...describe(ended) };
  return undefined;
}

/** How often the container ended unexpectedly: all restarts, and an end that is not followed by a restart yet. */
function crashes({ restarts, terminated }: ObservedContainer): number {
  // A completed init container stays terminated with exit code 0.
  return restarts + (terminated !== undefined && terminated.exitCode !== 0 ? 1 : 0);
}

/**
 * The kubelet ends a container whose liveness probe fails with SIGTERM, then SIGKILL, and restarts it. Apart from the
 * kubelet, only the kernel sends SIGKILL to a container of a pod that is not being deleted, when memory runs out.
 */
function killedByLiveness({ hasLivenessProbe, restarts, lastTerminated }: ObservedContainer): boolean {
  if (!hasLivenessProbe || restarts === 0 || lastTerminated === undefined) return false;
  return [137, 143].includes(lastTerminated.exitCode) && lastTerminated.reason !== 'OOMKilled';
}

/** Returns a cause that keeps a pod from starting and is unrelated to the content of its configs. */
export function externalCause(pod: ObservedPod): PodProblem | undefined {
  if (pod.terminating) return undefined;
  if (pod.unschedulable !== undefined)
    return { reason: 'Unschedulable', pod: pod.name, ...text(pod.unschedulable) };
  if (pod.nodeProblem !== undefined) return { reason: 'NodeLost', pod: pod.name, ...text(pod.nodeProblem) };
  for (const { name, waiting } of pod.containers) {
    const reason = imageReasons.find((each) => each === waiting?.reason);
    if (reason !== undefined) return { reason, pod: pod.name, container: name, ...text(waiting?.message) };
  }
  return undefined;
}

const imageReasons: readonly PodReason[] = [
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
];

function describe(ended: Termination | undefined): { exitCode?: number; message?: string } {
  if (ended === undefined) return {};
  return { exitCode: ended.exitCode, ...text(ended.message || ended.reason) };
}

function text(message: string | undefined): { message?: string } {
  return message ? { message } : {};
}
