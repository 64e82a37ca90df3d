import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Volume } from '../../objects/pod.ts';
import { ConfigProblem, messageOf } from '../configs/config-problem.ts';
import type { Config, ReadConfig } from '../configs/read-config.ts';
import type { PodContext } from '../container-setup.ts';
import { writeAtomically } from './atomic-folder.ts';
import { checkHostPath } from './host-path.ts';
import { MountFailures } from './mount-failures.ts';
import { isFilledByKubelet, mountedVolumes, nestedMountPoints, showsPodMetadata } from './mounted-volumes.ts';
import type { PodTokens } from './pod-tokens.ts';
import { digestOf, volumePayload } from './volume-payload.ts';

/** The volumes of one pod on disk. Operations run one at a time, because concurrent switches would conflict. */
export class PodVolumes {
  readonly #tokens: PodTokens;
  readonly #clock: Clock;
  readonly #failures = new MountFailures();
  /** Immutable configs are read once, as by kubelet. */
  readonly #frozen = new Map<string, Config>();
  /** Digest of each volume's last written payload; lets an unchanged refresh skip reading files. */
  readonly #shown = new Map<string, string>();
  #place: PodContext;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(place: PodContext, tokens: PodTokens, clock: Clock) {
    this.#place = place;
    this.#tokens = tokens;
    this.#clock = clock;
  }

  get place(): PodContext {
    return this.#place;
  }

  /** Whether a refresh needs the current labels and annotations of the pod. */
  get followsPod(): boolean {
    return mountedVolumes(this.#place.pod).some(showsPodMetadata);
  }

  /** Sets up all volumes for the current pod. Returns false when one failed, which an Event reports. */
  setUp(place: PodContext, read: ReadConfig, signal: AbortSignal): Promise<boolean> {
    return this.#inTurn(() => {
      this.#place = place;
      this.#shown.clear();
      return this.#each(mountedVolumes(place.pod), read, signal);
    });
  }

  /** Updates the volumes that are filled from the API. A volume whose source cannot be read keeps its content. */
  refresh(read: ReadConfig, signal: AbortSignal, pod = this.#place.pod): Promise<boolean> {
    return this.#inTurn(() => {
      this.#place = { ...this.#place, pod };
      return this.#each(mountedVolumes(pod).filter(isFilledByKubelet), read, signal);
    });
  }

  /** Resolves when the current write has ended; later calls write nothing. */
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
    const where = volumeFolder(folder, volume);
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

/** The folder of a volume, with the name of its plugin as in a kubelet's folder: `volumes/kubernetes.io~empty-dir/data`. */
export function volumeFolder(podFolder: string, { name, ...source }: Volume): string {
  const [plugin = 'none'] = Object.keys(source).flatMap((type) => plugins[type] ?? []);
  return path.join(podFolder, 'volumes', `kubernetes.io~${plugin}`, name);
}

const plugins: Record<string, string> = {
  configMap: 'configmap',
  secret: 'secret',
  downwardAPI: 'downward-api',
  projected: 'projected',
  emptyDir: 'empty-dir',
};

/** Kubelet backs these volumes with tmpfs, whose root has mode 1777. Here they are on disk and get the same mode. */
function rootMode({ secret, downwardAPI, projected, emptyDir }: Volume): number {
  const isInMemory = (secret ?? downwardAPI ?? projected) !== undefined || emptyDir?.medium === 'Memory';
  return isInMemory ? 0o1777 : 0o777;
}

function unsupported({ name: _, ...source }: Volume): ConfigProblem {
  const [type = '(none)'] = Object.keys(source);
  return new ConfigProblem(
    `volume type ${type} is not supported: the local cluster supports configMap, secret, downwardAPI, projected, emptyDir and hostPath`,
  );
}
