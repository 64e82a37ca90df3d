import type { Pod } from '../../objects/pod.ts';
import type { ContainerRecord } from './container-record.ts';
import type { PodContainer } from './container-roles.ts';
import type { KubeletServices } from './kubelet-services.ts';

/** A start that went wrong, as the container's status shows it. */
export class NotMade extends Error {
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

/** Why it waits now, when it is tried again, and the events of the real kubelet. */
export function noteFailure({ services, pod, each, record }: Failed, error: unknown): void {
  const { clock, limits, log } = services;
  const failures = (record.failures ?? 0) + 1;
  const reason = error instanceof NotMade ? error.reason : 'CreateContainerError';
  const message = error instanceof Error ? error.message : String(error);
  const tell = (text: string) => services.tell(pod, 'Warning', 'Failed', text, each);
  if (!(error instanceof NotMade)) log.warn({ err: error, object: pod.metadata }, 'container not made');
  const now = clock.now();
  record.failures = failures;
  record.failedAt = now;
  record.waiting = { reason, message };
  delete record.pullProblem;
  // A container that ended waits for its back-off; what never was one is tried again after a while.
  if (reason !== 'RunContainerError') record.retryAt = now + limits.baseMs;
  if (reason === 'ErrImagePull') {
    record.pullProblem = message;
    record.retryAt = now + Math.min(limits.baseMs * 2 ** Math.min(failures - 1, 20), limits.maxMs);
    tell(`Failed to pull image "${each.container.image ?? ''}": ${message}`);
    tell('Error: ErrImagePull');
  } else tell(`Error: ${message}`);
}
