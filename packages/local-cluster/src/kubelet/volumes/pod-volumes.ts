import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Volume } from '../../objects/pod.ts';
import { ConfigProblem, messageOf } from '../configs/config-problem.ts';
import type { Config, ReadConfig } from '../configs/read-config.ts';
import type { PodPlace } from '../container-setup.ts';
import { writeAtomically } from './atomic-folder.ts';
import { checkHostPath } from './host-path.ts';
import { MountFailures } from './mount-failures.ts';
import { isFilledByKubelet, mountedVolumes, nestedMountPoints, showsPodMetadata } from './mounted-volumes.ts';
import type { PodTokens } from './pod-tokens.ts';
import { digestOf, volumePayload } from './volume-payload.ts';

/** The volumes of one pod on disk. Everything is done one after the other: a swap is not for two at a time. */
export class PodVolumes {
  readonly #tokens: PodTokens;
  readonly #clock: Clock;
  readonly #failures = new MountFailures();
  /** What is immutable is read once, as kubelet does. */
  readonly #frozen = new Map<string, Config>();
  /** What each volume held when it was last looked at, so that a refresh without news reads no file. */
  readonly #shown = new Map<string, string>();
  #place: PodPlace;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(place: PodPlace, tokens: PodTokens, clock: Clock) {
    this.#place = place;
    this.#tokens = tokens;
    this.#clock = clock;
  }

  get place(): PodPlace {
    return this.#place;
  }

  /** True when the newest labels and annotations of the pod are needed to refresh it. */
  get followsPod(): boolean {
    return mountedVolumes(this.#place.pod).some(showsPodMetadata);
  }

  /** All volumes, as the pod is now. False when one cannot be had; that was told by an Event. */
  setUp(place: PodPlace, read: ReadConfig, signal: AbortSignal): Promise<boolean> {
    return this.#inTurn(() => {
      this.#place = place;
      this.#shown.clear();
      return this.#each(mountedVolumes(place.pod), read, signal);
    });
  }

  /** Brings what comes from the API up to date. What cannot be had stays as it is. */
  refresh(read: ReadConfig, signal: AbortSignal, pod = this.#place.pod): Promise<boolean> {
    return this.#inTurn(() => {
      this.#place = { ...this.#place, pod };
      return this.#each(mountedVolumes(pod).filter(isFilledByKubelet), read, signal);
    });
  }

  /** Resolves when nothing is being written, and nothing will be any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turn;
  }

  async #each(volumes: readonly Volume[], read: ReadConfig, signal: AbortSignal): Promise<boolean> {
    let isComplete = true;
    for (const volume of volumes) {
      try {
        await this.#setUpOne(volume, read);
        this.#failures.succeeded(volume.name);
      } catch (error) {
        signal.throwIfAborted();
        isComplete = false;
        const message = this.#failures.failed(volume.name, messageOf(error), this.#clock.now());
        if (message !== undefined) this.#place.tell('Warning', 'FailedMount', message);
      }
    }
    return isComplete;
  }

  async #setUpOne(volume: Volume, read: ReadConfig): Promise<void> {
    const { pod, allocatable, folder } = this.#place;
    const { hostPath, emptyDir, name } = volume;
    if (hostPath !== undefined) return checkHostPath(hostPath.path, hostPath.type ?? '');
    const payload = await volumePayload(volume, {
      pod,
      allocatable,
      read: this.#readOnce(read),
      token: (source) => this.#tokens.token(pod, source),
    });
    if (payload === undefined && emptyDir === undefined) throw unsupported(volume);
    const digest = payload && digestOf(payload);
    if (digest !== undefined && this.#shown.get(name) === digest) return;
    const where = volumeFolder(folder, name);
    if ((await mkdir(where, { recursive: true })) !== undefined) await chmod(where, rootMode(volume));
    if (payload === undefined || digest === undefined) return;
    for (const nested of nestedMountPoints(pod, name))
      await mkdir(path.join(where, nested), { recursive: true });
    await writeAtomically(where, payload, this.#clock.now());
    this.#shown.set(name, digest);
  }

  #readOnce(read: ReadConfig): ReadConfig {
    return async (kind, namespace, name) => {
      const key = `${kind}/${name}`;
      const config = this.#frozen.get(key) ?? (await read(kind, namespace, name));
      if (config?.isImmutable) this.#frozen.set(key, config);
      return config;
    };
  }

  #inTurn(job: () => Promise<boolean>): Promise<boolean> {
    const done = this.#turn.then(() => !this.#isClosed && job());
    this.#turn = done.catch(() => {});
    return done;
  }
}

export function volumeFolder(podFolder: string, volume: string): string {
  return path.join(podFolder, 'volumes', volume);
}

/** What kubelet keeps in memory is a tmpfs there, with the mode of one; here it lies on the disk of its owner. */
function rootMode({ secret, downwardAPI, projected, emptyDir }: Volume): number {
  const isInMemory = (secret ?? downwardAPI ?? projected) !== undefined || emptyDir?.medium === 'Memory';
  return isInMemory ? 0o1777 : 0o777;
}

function unsupported({ name: _, ...source }: Volume): ConfigProblem {
  const [type = 'of no type'] = Object.keys(source);
  return new ConfigProblem(
    `volumes of type ${type} need more than this machine: the local cluster has configMap, secret, downwardAPI, projected, emptyDir and hostPath`,
  );
}
