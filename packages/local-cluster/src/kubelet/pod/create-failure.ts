import type { Pod } from '../../objects/pod.ts';
import type { ContainerRecord } from './container-record.ts';
import type { PodContainer } from './container-roles.ts';
import type { KubeletServices } from './kubelet-services.ts';

/** A failed start, with the reason and message for the container's status. */
export class CreateFailure extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

interface Failed {
  services: KubeletServices;
  pod: Pod;
  each: PodContainer;
  record: ContainerRecord;
}

/** Records the waiting state and the time of the next attempt, and emits the Events of the real kubelet. */
export function noteFailure({ services, pod, each, record }: Failed, error: unknown): void {
  const { clock, limits, log } = services;
  const failures = (record.failures ?? 0) + 1;
  const reason = error instanceof CreateFailure ? error.reason : 'CreateContainerError';
  const message = error instanceof Error ? error.message : String(error);
  const tell = (text: string) => services.tell(pod, 'Warning', 'Failed', text, each);
  if (!(error instanceof CreateFailure))
    log.warn({ err: error, object: pod.metadata }, 'creation of container failed');
  const now = clock.now();
  record.failures = failures;
  record.failedAt = now;
  record.waiting = { reason, message };
  delete record.pullProblem;
  // A container that ended waits for its back-off. One that was never created is retried after the base delay.
  if (reason !== 'RunContainerError') record.retryAt = now + limits.baseMs;
  if (reason === 'ErrImagePull') {
    record.pullProblem = message;
    record.retryAt = now + Math.min(limits.baseMs * 2 ** Math.min(failures - 1, 20), limits.maxMs);
    tell(`Failed to pull image "${each.container.image ?? ''}": ${message}`);
    tell('Error: ErrImagePull');
  } else if (reason === 'InvalidImageName') {
    services.tell(pod, 'Warning', 'InspectFailed', message, each);
    tell('Error: InvalidImageName');
  } else tell(`Error: ${message}`);
}
