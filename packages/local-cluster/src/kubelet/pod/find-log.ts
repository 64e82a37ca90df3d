import type { ContainerStatus, PodStatus } from '../../objects/pod.ts';
import { ContainerUnreachable } from '../server/container-access.ts';

/**
 * The ID of the container instance whose log is requested, according to the status. Throws the real kubelet's message
 * when there is none. While a container waits for its restart, `previous` selects the instance that has just ended,
 * which is also the default.
 */
export function findLog(pod: string, status: PodStatus, name: string, previous: boolean): string {
  const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const found = all.find((each) => each.name === name);
  const what = `container "${name}" in pod "${pod}"`;
  if (found === undefined) throw unreachable(`${what} is not available`);
  const { running, terminated, waiting } = found.state;
  const last = found.lastState.terminated?.containerID;
  if (previous) {
    if (last === undefined) throw unreachable(`previous terminated ${what} not found`);
    return last;
  }
  const id = running === undefined ? (terminated?.containerID ?? last) : found.containerID;
  if (id !== undefined) return id;
  if (terminated !== undefined) throw unreachable(`${what} is terminated`);
  throw unreachable(`${what} is waiting to start: ${waitingText(waiting)}`);
}

function waitingText(waiting: ContainerStatus['state']['waiting']): string {
  if (waiting?.reason === 'ErrImagePull') return "image can't be pulled";
  if (waiting?.reason === 'ImagePullBackOff') return 'trying and failing to pull image';
  return waiting?.reason ?? 'ContainerCreating';
}

function unreachable(message: string): ContainerUnreachable {
  return new ContainerUnreachable(400, message);
}
