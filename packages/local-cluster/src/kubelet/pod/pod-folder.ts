import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readLocalPorts } from '../../objects/local-ports.ts';
import { olderFile } from '../logs/log-writer.ts';
import type { ContainerRecord } from './container-record.ts';
import type { PodAddress } from './kubelet-services.ts';

/** The state of a pod that survives a restart of the kubelet. */
export interface PodState {
  uid: string;
  namespace: string;
  name: string;
  podIP?: string;
  /** Local ports of a pod that shares its address, in the format of its annotation: `8080=20001`. */
  localPorts?: string;
  startedAt: number;
  containers: Record<string, Pick<ContainerRecord, 'made' | 'current' | 'exit' | 'lastExit'>>;
}

/**
 * The folder of one pod: `state.json` and `logs/<container>/<n>.log`. Termination logs are in
 * `containers/<container>/<8 hex digits>` and volumes in `volumes/kubernetes.io~<type>/<name>`, as in a kubelet's folder:
 * programs identify their container by these paths in /proc/PID/mountinfo.
 */
export class PodFolder {
  readonly path: string;

  constructor(podsDir: string, uid: string) {
    this.path = join(podsDir, uid);
  }

  /** Throws when the state cannot be written. No process may then be started, because it could not be found again. */
  save(state: PodState): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    const file = join(this.path, 'state.json');
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  /** Undefined when the state is missing or invalid. */
  read(): PodState | undefined {
    try {
      const state = JSON.parse(readFileSync(join(this.path, 'state.json'), 'utf8')) as PodState | null;
      return typeof state?.uid === 'string' &&
        typeof state.containers === 'object' &&
        state.containers !== null
        ? state
        : undefined;
    } catch {
      return undefined;
    }
  }

  /** The log file of the `made`-th instance of a container. Older logs are removed except the previous one. */
  makeLogFile(container: string, made: number): string {
    const folder = join(this.path, 'logs', container);
    mkdirSync(folder, { recursive: true });
    if (made > 2) {
      const old = this.logFile(container, made - 2);
      for (const file of [old, olderFile(old)]) rmSync(file, { force: true });
    }
    return this.logFile(container, made);
  }

  logFile(container: string, made: number): string {
    return join(this.path, 'logs', container, `${made - 1}.log`);
  }

  /** Creates an empty file for the next instance of the container, and removes those of earlier instances. */
  makeTerminationLog(container: string): string {
    const folder = join(this.path, 'containers', container);
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder)) if (/^[0-9a-f]{8}$/.test(name)) rmSync(join(folder, name));
    const file = join(folder, randomBytes(4).toString('hex'));
    writeFileSync(file, '');
    // The program may run as another user. The umask must not restrict the mode.
    chmodSync(file, 0o666);
    return file;
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }
}

/** The address of the pod in its saved state. */
export function addressIn({ podIP, localPorts }: PodState): PodAddress | undefined {
  return podIP === undefined ? undefined : { ip: podIP, ports: readLocalPorts(localPorts) };
}

/** The parent folder of the pods' folders. */
export function podsFolder(stateDir: string): string {
  return join(stateDir, 'pods');
}

/** The UIDs of the pods that have a folder. */
export function podFolders(podsDir: string): string[] {
  mkdirSync(podsDir, { recursive: true, mode: 0o700 });
  return readdirSync(podsDir);
}
