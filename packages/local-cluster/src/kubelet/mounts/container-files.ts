import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Mount } from '../volumes/container-mounts.ts';
import type { ViewBuilder } from './build-view.ts';
import { enterView } from './enter-view.ts';
import { machinePath } from './machine-path.ts';
import { planView } from './plan-view.ts';
import { makePodRoot } from './pod-root.ts';
import { thisMachine } from './this-machine.ts';

/** How programs of a container see its files. */
export interface ContainerFiles {
  /** Variables that the program needs to find its mounts. */
  environment: Record<string, string>;
  /** The working directory, as a path of this machine. */
  cwd: string;
  /** Wraps the container's program, probes, hooks and exec commands, so that all see the same files. */
  wrap(command: readonly string[]): string[];
  hostPath(where: string): string;
  /** No further program can be started; running programs keep their view. */
  close(): void;
}

interface FilesRequest {
  /** Exclusive to the container. */
  folder: string;
  mounts: readonly Mount[];
  workingDir: string;
  signal?: AbortSignal;
}

/** Creates a view with the mounts. Without a ViewBuilder, a folder with symlinks to the mounts is created instead. */
export async function containerFiles(
  views: ViewBuilder | undefined,
  request: FilesRequest,
): Promise<ContainerFiles> {
  const hostPath = (where: string) => machinePath(request.mounts, path.posix.resolve('/', where));
  if (views === undefined) return linkedFiles(request, hostPath);
  const { folder, workingDir, signal } = request;
  const here = hostPath(workingDir);
  const plan = planView(thisMachine, request.mounts, [workingDir]);
  const view = await views.build(path.join(folder, 'view'), plan, signal);
  return {
    environment: {},
    // The wrapper changes to the working directory itself; this path serves to find `./program`.
    cwd: (await isFolder(here)) ? here : '/',
    wrap: (command) => enterView(view.namespaces, views.tools, workingDir, command),
    hostPath,
    close: () => view.close(),
  };
}

async function linkedFiles(
  { folder, mounts, workingDir }: FilesRequest,
  hostPath: (where: string) => string,
): Promise<ContainerFiles> {
  const root = path.join(folder, 'root');
  await makePodRoot(root, mounts, workingDir);
  const here = hostPath(workingDir);
  return {
    environment: { POD_ROOT: root },
    cwd: (await isFolder(here)) ? here : path.join(root, workingDir),
    // A program in a mount does not exist at its path in the container.
    wrap: ([program = '', ...args]) => [path.isAbsolute(program) ? hostPath(program) : program, ...args],
    hostPath,
    close() {},
  };
}

function isFolder(where: string): Promise<boolean> {
  return stat(where).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
