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
  const tell = (type: 'Normal' | 'Warning', why: string, text: string) =>
    services.tell(pod, type, why, text, each);
  if (!(error instanceof NotMade)) log.warn({ err: error, object: pod.metadata }, 'container not made');
  record.failures = failures;
  record.waiting = { reason, message };
  // A container that ended waits for its back-off; what never was one is tried again after a while.
  if (reason !== 'RunContainerError') record.retryAt = clock.now() + limits.baseMs;
  if (reason !== 'ErrImagePull') {
    tell('Warning', 'Failed', `Error: ${message}`);
    return;
  }
  const image = each.container.image ?? '';
  record.retryAt = clock.now() + Math.min(limits.baseMs * 2 ** Math.min(failures - 1, 20), limits.maxMs);
  if (failures === 1) {
    tell('Warning', 'Failed', `Failed to pull image "${image}": ${message}`);
    tell('Warning', 'Failed', 'Error: ErrImagePull');
    return;
  }
  record.waiting = {
    reason: 'ImagePullBackOff',
    message: `Back-off pulling image "${image}": ErrImagePull: ${message}`,
  };
  tell('Normal', 'BackOff', `Back-off pulling image "${image}"`);
  tell('Warning', 'Failed', 'Error: ImagePullBackOff');
}
