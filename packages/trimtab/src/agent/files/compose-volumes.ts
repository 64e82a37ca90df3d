import { createHash } from 'node:crypto';
import type { InjectedItem, InjectedSource, InjectedVolume } from '../../api/injected-pod.ts';
import { type Config, displayName } from '../source/config.ts';
import { type Composition, type FileSet, folderConflicts, hashOf, sourceState } from './file-set.ts';
import { pathProblem } from './relative-path.ts';
import { hashOfMembers, type VolumesSet } from './volumes-set.ts';

interface Layout {
  volumes: readonly InjectedVolume[];
  /** The files of a folder that the kubelet keeps up to date, by path. */
  readKept(folder: string): ReadonlyMap<string, Buffer>;
}

type ConfigSource = Extract<InjectedSource, { config: number }>;
type KeptSource = Extract<InjectedSource, { keptPath: string }>;

/** Lays the configs of a pod out as files of its volumes. `configs` are in the order of the pod. */
export function composeVolumes(configs: readonly Config[], layout: Layout): Composition<VolumesSet> {
  const problems: string[] = [];
  const own = contentsOf(configs);
  const volumes = layout.volumes.map((volume) => {
    const files = new VolumeFiles(volume, problems);
    for (const source of volume.sources) {
      if ('keptPath' in source) files.addKept(source, layout);
      else files.addConfig(source, configs[source.config]);
    }
    return files.finish(own.sources);
  });
  const members = [own, ...volumes];
  const hash = hashOfMembers(members.map((member) => member.hash));
  const set = { hash, configHash: own.hash, sources: own.sources, members };
  return { set, warnings: [], problems };
}

/** The configs themselves: a folder for each, with a file for each key. Another version is another set. */
function contentsOf(configs: readonly Config[]): FileSet {
  const files = new Map<string, Buffer>();
  const hash = createHash('sha256');
  configs.forEach(({ entries, object = '', version = '' }, index) => {
    hash.update(`${index} ${object} ${version}\n`);
    for (const [key, content] of entries) files.set(`${index}/${key}`, content);
  });
  return { files, hash: hash.update(hashOf(files)).digest('hex'), sources: configs.map(sourceState) };
}

/** The files of one volume. Of two sources with the same path, the later one wins, as in a projected volume. */
class VolumeFiles {
  readonly #volume: InjectedVolume;
  readonly #problems: string[];
  readonly #files = new Map<string, Buffer>();
  readonly #modes = new Map<string, number>();
  readonly #origins = new Map<string, string>();

  constructor(volume: InjectedVolume, problems: string[]) {
    this.#volume = volume;
    this.#problems = problems;
  }

  addConfig({ items, optional }: ConfigSource, config: Config | undefined): void {
    if (config === undefined) return;
    const wanted = items ?? [...config.entries.keys()].map((key): InjectedItem => ({ key, path: key }));
    for (const { key, path, mode } of wanted) {
      const origin = `key '${key}' of ${displayName(config)}`;
      const content = config.entries.get(key);
      if (content !== undefined) this.#add(path, content, mode, origin);
      else if (optional !== true)
        this.#problems.push(`${origin} does not exist, and volume ${this.#volume.name} needs it`);
    }
  }

  addKept({ keptPath, modes = {} }: KeptSource, { readKept }: Layout): void {
    try {
      for (const [path, content] of readKept(keptPath))
        this.#add(path, content, modes[path], `a file in ${keptPath}`);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#problems.push(
        `cannot read ${keptPath}, which volume ${this.#volume.name} needs: ${code ?? message}`,
      );
    }
  }

  finish(sources: FileSet['sources']): FileSet {
    this.#problems.push(...folderConflicts(this.#origins));
    const [files, modes] = [this.#files, this.#modes];
    return { files, modes, hash: hashOf(files, modes), sources };
  }

  #add(path: string, content: Buffer, mode: number | undefined, origin: string): void {
    const problem = pathProblem(path);
    if (problem !== undefined) {
      this.#problems.push(`${origin}: the path '${path}' ${problem}`);
      return;
    }
    this.#files.set(path, content);
    this.#modes.set(path, mode ?? this.#volume.fileMode);
    this.#origins.set(path, origin);
  }
}
