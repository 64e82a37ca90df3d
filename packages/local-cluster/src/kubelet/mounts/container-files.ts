import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Mount } from '../volumes/container-mounts.ts';
import type { ViewBuilder } from './build-view.ts';
import { enterView } from './enter-view.ts';
import { machinePath } from './machine-path.ts';
import { planView } from './plan-view.ts';
import { makePodRoot } from './pod-root.ts';
import { thisMachine } from './this-machine.ts';

/** How a program gets to see the files of its container. */
export interface ContainerFiles {
  /** What the program has to be told. */
  environment: Record<string, string>;
  /** A folder of this machine. */
  cwd: string;
  /** For the container's own program, and for what is run beside it: all see the same files. */
  wrap(command: readonly string[]): string[];
  hostPath(where: string): string;
  /** Nothing is started with it any more; what runs keeps its view. */
  close(): void;
}

interface FilesRequest {
  /** Of this container alone. */
  folder: string;
  mounts: readonly Mount[];
  workingDir: string;
  signal?: AbortSignal;
}

/** Without a builder of views, mounts are linked to in a folder. */
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
    // The wrapper goes to the working directory itself; who looks for `./program` looks here.
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
    wrap: (command) => [...command],
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
