import type { Container, Pod, PodSpec } from '../../objects/pod.ts';
import type { Exit } from './container-record.ts';

/** An init container runs to completion before the next starts. A sidecar is an init container that keeps running. */
type Role = 'init' | 'sidecar' | 'main';

export interface PodContainer {
  container: Container;
  role: Role;
}

/** All containers of a pod, in the order in which they are started. */
export function containersOf({ initContainers = [], containers }: PodSpec): PodContainer[] {
  return [
    ...initContainers.map((container): PodContainer => ({ container, role: initRole(container) })),
    ...containers.map((container): PodContainer => ({ container, role: 'main' })),
  ];
}

function initRole({ restartPolicy }: Container): Role {
  return restartPolicy === 'Always' ? 'sidecar' : 'init';
}

/** Whether a container with this exit is restarted while its pod continues to run. */
export function mayRestart(
  { container, role }: PodContainer,
  { spec }: Pod,
  { exitCode, byProbe }: Pick<Exit, 'exitCode' | 'byProbe'>,
): boolean {
  if (role === 'sidecar') return true;
  const policy = container.restartPolicy ?? spec.restartPolicy ?? 'Always';
  if (policy === 'Never') return false;
  return exitCode !== 0 || byProbe === true || (policy === 'Always' && role === 'main');
}

/** The container's field path in Events: `spec.containers{app}`. */
export function fieldPathOf({ container, role }: PodContainer): string {
  return `spec.${role === 'main' ? 'containers' : 'initContainers'}{${container.name}}`;
}
