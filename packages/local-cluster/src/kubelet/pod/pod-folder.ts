import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readLocalPorts } from '../../objects/local-ports.ts';
import { olderFile } from '../logs/log-writer.ts';
import type { ContainerRecord } from './container-record.ts';
import type { PodAddress } from './kubelet-services.ts';

/** What outlives the kubelet of a pod. */
export interface PodState {
  uid: string;
  namespace: string;
  name: string;
  podIP?: string;
  /** Of a pod that shares its address, as its annotation has them: `8080=20001`. */
  localPorts?: string;
  startedAt: number;
  containers: Record<string, Pick<ContainerRecord, 'made' | 'current' | 'exit' | 'lastExit'>>;
}

/** The folder of one pod: `state.json`, `logs/<container>/<n>.log`, and what its volumes need. */
export class PodFolder {
  readonly path: string;

  constructor(podsDir: string, uid: string) {
    this.path = join(podsDir, uid);
  }

  /** Throws when it cannot be written: then nothing may be started, because nobody would find it again. */
  save(state: PodState): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    const file = join(this.path, 'state.json');
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  /** Undefined when there is none that we could have written. */
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

  /** Where the `made`-th container of this name writes; makes room by removing all but the one before. */
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

  /** Empty, for the next container of this name. */
  makeTerminationLog(container: string): string {
    const folder = join(this.path, 'termination');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, container);
    writeFileSync(file, '', { mode: 0o666 });
    return file;
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }
}

/** The address that a pod had when its state was written. */
export function addressIn({ podIP, localPorts }: PodState): PodAddress | undefined {
  return podIP === undefined ? undefined : { ip: podIP, ports: readLocalPorts(localPorts) };
}

/** Where a kubelet keeps the folders of its pods. */
export function podsFolder(stateDir: string): string {
  return join(stateDir, 'pods');
}

/** The UIDs that have a folder. */
export function podFolders(podsDir: string): string[] {
  mkdirSync(podsDir, { recursive: true, mode: 0o700 });
  return readdirSync(podsDir);
}
