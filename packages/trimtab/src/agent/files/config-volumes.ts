import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigRoot, type StagedSet } from './config-root.ts';
import { unlessMissing } from './file-errors.ts';
import type { SetIdentity } from './file-set.ts';
import type { FileStore } from './file-store.ts';
import { hashOfMembers, type VolumesSet } from './volumes-set.ts';

/** Exists while the members of a set are accepted one after another, and holds the hash of the set. */
const acceptingFile = '..accepting';

interface ConfigVolumesOptions {
  /** A folder that only the agent reads: the contents of all configs, also those that no volume has. */
  configsFolder: string;
  volumes: readonly { path: string; fileMode: number; inPlace?: readonly string[] }[];
  /** Called before each change on disk, with its name; tests end the process there. */
  onStep?: (step: string) => void;
}

/**
 * The volumes of a pod as one store. Each member is a folder with its own atomic switch. All files of a set are written
 * before the first switch, and a member whose files stay the same is not switched.
 *
 * A process that is killed between two switches leaves a set that was never accepted: the hash of the visible set is made
 * from those of the members, so it differs from that of the good set, and the next process writes or restores all
 * members. Accepting is recorded before it begins, and completed by the next process.
 */
export class ConfigVolumes implements FileStore<VolumesSet> {
  readonly #members: readonly ConfigRoot[];
  readonly #configs: ConfigRoot;
  readonly #accepting: string;
  readonly #step: (step: string) => void;
  /** Whether some members have the new good set, and others still the one before. */
  #isAccepting = false;

  constructor({ configsFolder, volumes, onStep = () => {} }: ConfigVolumesOptions) {
    this.#configs = new ConfigRoot({ root: configsFolder, fileMode: 0o600, onStep });
    this.#members = [
      this.#configs,
      ...volumes.map(({ path, ...rest }) => new ConfigRoot({ root: path, ...rest, onStep })),
    ];
    this.#accepting = join(configsFolder, acceptingFile);
    this.#step = onStep;
  }

  get current(): SetIdentity | undefined {
    return this.#whole(this.#configs.current, ({ current }) => current);
  }

  get good(): SetIdentity | undefined {
    if (this.#isAccepting) return undefined;
    return this.#whole(this.#configs.good, ({ good }) => good);
  }

  get isUntold(): boolean {
    return this.#members.some(({ isUntold }) => isUntold);
  }

  /** The contents of the configs of the last good set, by path: the index of the config and the key. */
  readConfigs(): { sources: SetIdentity['sources']; files: ReadonlyMap<string, Buffer> } | undefined {
    const sources = (this.#configs.good ?? this.#configs.current)?.sources;
    const files = this.#configs.readFiles();
    return sources && files && { sources, files };
  }

  recover(): void {
    for (const member of this.#members) member.recover();
    const accepting = this.#readAccepting();
    if (accepting !== undefined && accepting === this.current?.hash) this.accept({ isTold: !this.isUntold });
    else rmSync(this.#accepting, { force: true });
  }

  write({ members }: VolumesSet): void {
    const changed = this.#members.flatMap((member, index) => {
      const set = members[index];
      return set === undefined || member.current?.hash === set.hash ? [] : [{ member, set }];
    });
    const shown: { member: ConfigRoot; before: StagedSet | undefined }[] = [];
    try {
      const staged = changed.map(({ member, set }) => ({ member, set: member.stage(set) }));
      for (const { member, set } of staged) {
        shown.push({ member, before: member.shown });
        member.show(set);
      }
    } catch (error) {
      for (const { member, before } of shown)
        if (before !== undefined) ignoreErrors(() => member.show(before));
      for (const { member } of changed) ignoreErrors(() => member.tidy());
      throw error;
    }
    for (const { member } of changed) member.tidy();
  }

  accept(by: { isTold: boolean }): void {
    const { current } = this;
    if (current === undefined) return;
    this.#step('record acceptance');
    writeFileSync(this.#accepting, current.hash, { mode: 0o600 });
    this.#isAccepting = true;
    for (const member of this.#members) member.accept(by);
    this.#isAccepting = false;
    this.#step('acceptance complete');
    rmSync(this.#accepting, { force: true });
  }

  restore(by: { isTold: boolean }): boolean {
    if (this.good === undefined) return false;
    for (const member of this.#members) member.restore(by);
    return true;
  }

  #whole(
    configs: SetIdentity | undefined,
    setOf: (member: ConfigRoot) => SetIdentity | undefined,
  ): SetIdentity | undefined {
    const hashes = this.#members.flatMap((member) => setOf(member)?.hash ?? []);
    if (configs === undefined || hashes.length < this.#members.length) return undefined;
    return { hash: hashOfMembers(hashes), configHash: configs.hash, sources: configs.sources };
  }

  #readAccepting(): string | undefined {
    try {
      return readFileSync(this.#accepting, 'utf8');
    } catch (error) {
      return unlessMissing(error);
    }
  }
}

/** The first error is the one to report. What could not be undone is repaired by the next write. */
function ignoreErrors(undo: () => void): void {
  try {
    undo();
  } catch {
    // See above.
  }
}
