import { join } from 'node:path';
import type { ContainerSetup } from '../../src/kubelet/container-setup.ts';

/** Runs containers in the pod's folder with the literal variables of their spec, without volumes or mounts. */
export function plainSetup(overrides: Partial<ContainerSetup> = {}): ContainerSetup {
  return {
    preparePod: async () => undefined,
    prepareContainer: async ({ container, folder, extraEnvironment, terminationLog }) => {
      const own = Object.fromEntries((container.env ?? []).map(({ name, value = '' }) => [name, value]));
      const path = process.env['PATH'] ?? '/usr/bin:/bin';
      return {
        env: { PATH: path, TERMINATION_LOG: terminationLog, ...extraEnvironment, ...own },
        cwd: container.workingDir ?? folder,
        expand: (words) => [...words],
        wrap: (command) => [...command],
        hostPath: (file) => (file === container.terminationMessagePath ? join(folder, file) : file),
      };
    },
    release: async () => {},
    close: async () => {},
    ...overrides,
  };
}
