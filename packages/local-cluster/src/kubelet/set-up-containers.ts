import path from 'node:path';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Container } from '../objects/pod.ts';
import { ConfigProblem, messageOf } from './configs/config-problem.ts';
import { readConfigsFrom } from './configs/read-config.ts';
import type {
  ContainerContext,
  ContainerSetup,
  NotReady,
  PodContext,
  PreparedContainer,
} from './container-setup.ts';
import { containerEnvironment } from './environment/container-environment.ts';
import { expand } from './environment/expand.ts';
import { fileVariable } from './environment/file-variable.ts';
import { KnownServices } from './environment/known-services.ts';
import { processEnvironment } from './environment/process-environment.ts';
import { type ApiServerAddress, serviceVariables } from './environment/service-variables.ts';
import { ViewBuilder } from './mounts/build-view.ts';
import { type ContainerFiles, containerFiles } from './mounts/container-files.ts';
import { describeMounts, type MountMode, probeMounts } from './mounts/probe-mounts.ts';
import { type DeclaredPrograms, programMounts } from './mounts/program-mounts.ts';
import { containerMounts, type Mount } from './volumes/container-mounts.ts';
import { RefreshedVolumes } from './volumes/refreshed-volumes.ts';

export interface SetupOptions {
  client: KubeClient;
  clock: Clock;
  log: Logger;
  /** Folder for views, for the scripts of declared programs, and for the probe of mount namespaces. */
  folder: string;
  /** Interval between refreshes of volumes. Defaults to 10 s; a real kubelet takes up to a minute. */
  refreshMs?: number;
  /** Address at which pods reach the API server. */
  apiServer?: ApiServerAddress;
  /** Optional; defaults to the result of a probe. */
  mounts?: MountMode;
  programs?: DeclaredPrograms;
}

export interface LocalContainerSetup extends ContainerSetup {
  /** Describes in one line how containers see their volumes. */
  readonly mountsLine: string;
}

const usualRefreshMs = 10_000;
const none: DeclaredPrograms = new Map();

/** Environment, volumes and mounts of the containers of this machine. */
export async function setUpContainers(options: SetupOptions): Promise<LocalContainerSetup> {
  const { client, clock, log, folder, refreshMs = usualRefreshMs, programs = none } = options;
  const mode = options.mounts ?? (await probeMounts(folder));
  const mountsLine = describeMounts(mode);
  log.info({ way: mode.way }, mountsLine);
  const views =
    mode.way === 'namespaces'
      ? new ViewBuilder({ folder: path.join(folder, 'views'), tools: mode.tools, clock })
      : undefined;
  const volumes = new RefreshedVolumes({ client, clock, log, refreshMs });
  const services = new KnownServices({ client, log, apiServer: options.apiServer });
  const open = new OpenFiles();
  return {
    mountsLine,
    async preparePod(place, signal) {
      if (await volumes.setUp(place, signal)) return undefined;
      signal.throwIfAborted();
      return { waiting: { reason: waitingReason(place), message: '' } };
    },
    async prepareContainer(place, signal) {
      try {
        return await prepare(place, signal);
      } catch (error) {
        signal.throwIfAborted();
        return notReady(error);
      }
    },
    async release(uid) {
      open.closePod(uid);
      await volumes.release(uid);
    },
    async close() {
      open.closeAll();
      await Promise.all([volumes.close(), services.close(), views?.close()]);
    },
  };

  async function prepare(place: ContainerContext, signal: AbortSignal): Promise<PreparedContainer> {
    const { pod, container } = place;
    const linked = await services.linkedTo(pod, signal);
    const declared = await containerEnvironment({
      ...place,
      services: new Map([...Object.entries(place.extraEnvironment), ...serviceVariables(linked)]),
      fileValue: (volume, file, key) => fileVariable(place, { volume, file, key }),
      read: readConfigsFrom(client, signal),
    });
    const mounts = [...(await containerMounts(place, declared)), terminationLogMount(place)];
    const files = await containerFiles(views, {
      folder: path.join(place.folder, 'containers', container.name),
      mounts: [...mounts, ...programMounts(programs, path.join(folder, 'programs'), mounts)],
      workingDir: workingDirOf(container),
      signal,
    });
    open.replace(pod.metadata.uid ?? '', container.name, files);
    const { PATH = '', HOME = '' } = process.env;
    return {
      env: processEnvironment({ pod, declared, extra: files.environment, machine: { PATH, HOME } }),
      cwd: files.cwd,
      expand: (words) => words.map((word) => expand(word, (name) => declared.get(name))),
      wrap: (command) => files.wrap(command),
      hostPath: (where) => files.hostPath(where),
    };
  }
}

function workingDirOf({ workingDir }: Container): string {
  return path.posix.resolve('/', workingDir ?? '');
}

function terminationLogMount({ container, terminationLog }: ContainerContext): Mount {
  const where = path.posix.resolve('/', container.terminationMessagePath || '/dev/termination-log');
  return { path: where, source: terminationLog, isFolder: false, isReadOnly: false };
}

function waitingReason({ pod }: PodContext): string {
  return (pod.spec.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating';
}

/** Distinguishes errors of this machine (CreateContainerError) from errors of the spec or the API. */
function notReady(error: unknown): NotReady {
  const isOfMachine =
    !(error instanceof ConfigProblem) && (error as NodeJS.ErrnoException).syscall !== undefined;
  const isOfView = error instanceof Error && error.name === 'ViewProblem';
  const reason = isOfMachine || isOfView ? 'CreateContainerError' : 'CreateContainerConfigError';
  return { waiting: { reason, message: messageOf(error) } };
}

/** Keeps views open so that further programs can be started in them. */
class OpenFiles {
  readonly #files = new Map<string, Map<string, ContainerFiles>>();

  replace(uid: string, container: string, files: ContainerFiles): void {
    const ofPod = this.#files.get(uid) ?? new Map<string, ContainerFiles>();
    ofPod.get(container)?.close();
    this.#files.set(uid, ofPod.set(container, files));
  }

  closePod(uid: string): void {
    for (const files of this.#files.get(uid)?.values() ?? []) files.close();
    this.#files.delete(uid);
  }

  closeAll(): void {
    for (const uid of [...this.#files.keys()]) this.closePod(uid);
  }
}
