import type { ContainerReload, ContainerVerify } from '../../api/injected-pod.ts';
import { annotations } from '../../api/names.ts';
import type { ContainerUse } from './container-use.ts';
import type { PerContainer } from './per-container.ts';
import type { ReloadSettings } from './reload-annotations.ts';

export interface ToldContainers {
  reload: ContainerReload[];
  verify: ContainerVerify[];
  warnings: string[];
}

/**
 * Who is told about a change, and how. A value for all containers applies to those that use a managed config. A value for
 * single containers applies to them, even if their spec references no config: they may use the in-pod endpoint.
 */
export function toldContainers(uses: readonly ContainerUse[], settings: ReloadSettings): ToldContainers {
  const running = uses
    .filter(({ keepsRunning, volumes, environment }) => keepsRunning && (volumes.size > 0 || environment))
    .map(({ container }) => container.name);
  const reload = perContainer(settings.reload, running).map(({ container, value: action }) => ({
    container,
    action,
  }));
  const untold = running.filter((name) => !reload.some(({ container }) => container === name));
  return {
    reload: [...reload, ...untold.map((container) => ({ container, action: { by: 'pull' as const } }))],
    verify: perContainer(settings.verify, running).map(({ container, value }) => ({ container, ...value })),
    warnings: untold.map(
      (name) =>
        `Container "${name}" uses a managed config and is not told about changes, because annotation ${annotations.reload} does not name it: add "${name}=signal:SIGUSR1", or "${name}=pull" if it needs no message`,
    ),
  };
}

function perContainer<T>(
  value: PerContainer<T>,
  running: readonly string[],
): { container: string; value: T }[] {
  return 'each' in value ? value.each : running.map((container) => ({ container, value: value.all }));
}
