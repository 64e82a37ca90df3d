import type { ObservedContainer, ObservedPod, Termination } from './observed.ts';

/** Why a pod is not well, with all that a person needs to see the cause without a second command. */
export interface PodProblem {
  reason: string;
  pod: string;
  container?: string;
  exitCode?: number;
  message?: string;
}

/**
 * A failure that waiting would not mend and that can be the content's fault, so that nobody has to wait for
 * the deadline. `wasReady`: this very pod has been seen Ready during the activation.
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
      message: 'the pod was Ready with this version, and then no longer',
    };
  }
  return undefined;
}

/** A container that ended takes the pod's readiness along: that is a crash, and crashes are counted. */
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

/** How often it ended when it should run: each restart, and an end that no restart has followed yet. */
function crashes({ restarts, terminated }: ObservedContainer): number {
  // An init container that is through ends with 0 and stays so.
  return restarts + (terminated !== undefined && terminated.exitCode !== 0 ? 1 : 0);
}

/**
 * The kubelet ends a container whose liveness probe fails by TERM, then KILL, and starts it again. Nobody else
 * sends these to a container of a pod that is not being deleted, but for the kernel when memory runs out.
 */
function killedByLiveness({ hasLivenessProbe, restarts, lastTerminated }: ObservedContainer): boolean {
  if (!hasLivenessProbe || restarts === 0 || lastTerminated === undefined) return false;
  return [137, 143].includes(lastTerminated.exitCode) && lastTerminated.reason !== 'OOMKilled';
}

/** What keeps a pod from starting and has nothing to do with the content of its configs. */
export function externalCause(pod: ObservedPod): PodProblem | undefined {
  if (pod.terminating) return undefined;
  if (pod.unschedulable !== undefined)
    return { reason: 'Unschedulable', pod: pod.name, ...text(pod.unschedulable) };
  if (pod.nodeProblem !== undefined) return { reason: 'NodeLost', pod: pod.name, ...text(pod.nodeProblem) };
  const pulling = pod.containers.find(
    ({ waiting }) => waiting !== undefined && imageReasons.has(waiting.reason),
  );
  if (pulling?.waiting === undefined) return undefined;
  const { reason, message } = pulling.waiting;
  return { reason, pod: pod.name, container: pulling.name, ...text(message) };
}

const imageReasons = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

function describe(ended: Termination | undefined): { exitCode?: number; message?: string } {
  if (ended === undefined) return {};
  return { exitCode: ended.exitCode, ...text(ended.message || ended.reason) };
}

function text(message: string | undefined): { message?: string } {
  return message ? { message } : {};
}
