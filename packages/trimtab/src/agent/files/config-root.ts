import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { unlessMissing } from './file-errors.ts';
import type { FileSet } from './file-set.ts';
import type { FileStore } from './file-store.ts';
import { allowReading } from './folder-mode.ts';
import { copyInPlace } from './in-place.ts';
import { firstName } from './relative-path.ts';
import { type Manifest, manifestName, manifestOf, readStoredFiles, readStoredSet } from './stored-set.ts';

/** Links in the root: the set that applications read, and the last set that they accepted. */
const dataLink = '..data';
const goodLink = '..good';
/** Exists while the visible set is the good one, and the application may have another one. */
const untoldFile = '..untold';
const setFolder = /^\.\.set-/;
const outputFile = /^\.\.output-/;

/** A set that is written and not visible yet. */
export interface StagedSet {
  folder: string;
  manifest: Manifest;
}

export interface ConfigRootOptions {
  root: string;
  fileMode: number;
  /** Names in the root that are files and folders instead of links, for containers that mount them by `subPath`. */
  inPlace?: readonly string[];
  /** Called before each change on disk, with its name; tests end the process there. */
  onStep?: (step: string) => void;
}

/**
 * The folder that applications read their configuration from.
 *
 *     nginx.conf -> ..data/nginx.conf
 *     conf.d     -> ..data/conf.d
 *     ..data     -> ..set-1f0c2e         the set that applications see
 *     ..good     -> ..set-09ab77         the last set that the application accepted
 *     ..untold                           exists while the application is still to be told about the good set
 *     ..set-1f0c2e/nginx.conf, conf.d/…, ..manifest.json
 *
 * A set becomes visible by one rename, of `..data`. The links of new keys are created before it and those of removed keys
 * are removed after it, so every open file name shows either the whole old set or the whole new one. All calls are
 * synchronous, and a process that is killed at any line leaves a whole set; `recover` removes what it left behind.
 */
export class ConfigRoot implements FileStore<FileSet> {
  readonly #root: string;
  readonly #fileMode: number;
  readonly #inPlace: readonly string[];
  readonly #step: (step: string) => void;
  #current: Manifest | undefined;
  #good: Manifest | undefined;

  constructor({ root, fileMode, inPlace = [], onStep = () => {} }: ConfigRootOptions) {
    this.#root = root;
    this.#fileMode = fileMode;
    this.#inPlace = inPlace;
    this.#step = onStep;
  }

  /** The set that applications see. */
  get current(): Manifest | undefined {
    return this.#current;
  }

  /** The last set that the application accepted. */
  get good(): Manifest | undefined {
    return this.#good;
  }

  /** Whether the application may have another set than the visible one, which is the good one. */
  get isUntold(): boolean {
    return lstatSync(this.#path(untoldFile), { throwIfNoEntry: false }) !== undefined;
  }

  /** Reads the sets of an earlier process and removes what is incomplete. Sets that are not whole are not used. */
  recover(): void {
    this.#makeRoot();
    for (const link of [dataLink, goodLink]) rmSync(this.#path(temporary(link)), { force: true });
    for (const name of readdirSync(this.#root)) if (outputFile.test(name)) rmSync(this.#path(name));
    this.#good = this.#readSet(goodLink);
    this.#current = this.#readSet(dataLink);
    if (this.#good === undefined) rmSync(this.#path(goodLink), { force: true });
    if (this.#current === undefined && this.#good !== undefined) this.restore({ isTold: false });
    else {
      this.#addLinks(this.#current);
      this.#copyInPlace();
      this.#removeLinks(this.#current);
      this.#removeSets();
    }
  }

  /** Makes a set visible. A failure leaves the set before in place. */
  write(set: FileSet): void {
    this.#makeRoot();
    try {
      this.show(this.stage(set));
    } catch (error) {
      this.tidy();
      throw error;
    }
    this.tidy();
  }

  /** The first part of `write`: writes the files. `tidy` removes them again, unless `show` follows. */
  stage(set: FileSet): StagedSet {
    this.#makeRoot();
    const staged = { folder: `..set-${randomBytes(6).toString('hex')}`, manifest: manifestOf(set) };
    this.#writeFiles(this.#path(staged.folder), set, staged.manifest);
    this.#addLinks(staged.manifest);
    return staged;
  }

  /** The visible set, so that `show` can return to it until `tidy` is called. */
  get shown(): StagedSet | undefined {
    const folder = target(this.#path(dataLink));
    return folder === undefined || this.#current === undefined
      ? undefined
      : { folder, manifest: this.#current };
  }

  /** The second part of `write`: makes the files visible. */
  show({ folder, manifest }: StagedSet): void {
    this.#point(dataLink, folder);
    this.#current = manifest;
    this.#copyInPlace();
  }

  /** The last part of `write`: removes links and sets that are not used. */
  tidy(): void {
    this.#removeLinks(this.#current);
    this.#removeSets();
  }

  /** The files of the last good set, or of the visible one when there is no good one. */
  readFiles(): Map<string, Buffer> | undefined {
    const [link, manifest] = this.#good === undefined ? [dataLink, this.#current] : [goodLink, this.#good];
    return manifest && readStoredFiles(this.#path(link), manifest);
  }

  /** Records the visible set as the good one. With `isTold: false`, the application is still to be told about it. */
  accept({ isTold }: { isTold: boolean }): void {
    if (this.#current === undefined) return;
    if (!isTold) this.#markUntold();
    this.#point(goodLink, readlinkSync(this.#path(dataLink)));
    this.#good = this.#current;
    if (isTold) rmSync(this.#path(untoldFile), { force: true });
    this.#removeSets();
  }

  /**
   * Makes the last good set visible again. Returns false when there is none; the visible set then stays. An application
   * that may have read the other set (`isTold: false`) is to be told, and `accept` to be called again afterwards.
   */
  restore({ isTold }: { isTold: boolean }): boolean {
    const good = this.#good;
    if (good === undefined) return false;
    if (!isTold) this.#markUntold();
    const name = readlinkSync(this.#path(goodLink));
    if (target(this.#path(dataLink)) !== name) {
      this.#addLinks(good);
      this.#point(dataLink, name);
    }
    this.#current = good;
    this.#copyInPlace();
    this.#removeLinks(good);
    this.#removeSets();
    return true;
  }

  /** A full disk must not keep the good set from being restored. The mark only matters to the next process. */
  #markUntold(): void {
    try {
      writeFileSync(this.#path(untoldFile), '');
    } catch {
      // The application is then told by this process, or not at all.
    }
  }

  #makeRoot(): void {
    const created = mkdirSync(this.#root, { recursive: true });
    if (created !== undefined) allowReading(this.#root);
  }

  #writeFiles(folder: string, { files, modes }: FileSet, manifest: Manifest): void {
    this.#step('create set');
    makeFolder(folder);
    for (const [path, content] of files) {
      this.#step('write file');
      const file = join(folder, path);
      makeFolders(folder, dirname(path));
      const mode = modes?.get(path) ?? this.#fileMode;
      writeFileSync(file, content, { flag: 'wx', mode });
      // The mode is set explicitly because the umask may be stricter.
      chmodSync(file, mode);
    }
    this.#step('write manifest');
    writeFileSync(join(folder, manifestName), JSON.stringify(manifest), { mode: 0o600 });
  }

  /** Adds links of new keys. Before the switch they lead nowhere, as if the files did not exist. */
  #addLinks(manifest: Manifest | undefined): void {
    const names = [...namesOf(manifest)].filter((name) => !this.#inPlace.includes(name));
    for (const name of names) this.#requireOwn(name);
    for (const name of names) {
      if (lstatSync(this.#path(name), { throwIfNoEntry: false }) !== undefined) continue;
      this.#step('add link');
      symlinkSync(join(dataLink, name), this.#path(name));
    }
  }

  #copyInPlace(): void {
    if (this.#current === undefined) return;
    for (const name of this.#inPlace) {
      this.#step('copy in place');
      copyInPlace(join(this.#path(dataLink), name), this.#path(name));
    }
  }

  #removeLinks(manifest: Manifest | undefined): void {
    const names = namesOf(manifest);
    for (const name of readdirSync(this.#root)) {
      if (names.has(name) || target(this.#path(name)) !== join(dataLink, name)) continue;
      this.#step('remove link');
      rmSync(this.#path(name), { force: true });
    }
  }

  /** Removes all sets but the visible one and the good one. */
  #removeSets(): void {
    const kept = [dataLink, goodLink].map((link) => target(this.#path(link)));
    for (const name of readdirSync(this.#root)) {
      if (!setFolder.test(name) || kept.includes(name)) continue;
      this.#step('remove set');
      rmSync(this.#path(name), { recursive: true, force: true });
    }
  }

  #point(link: string, name: string): void {
    const next = this.#path(temporary(link));
    rmSync(next, { force: true });
    this.#step(`prepare ${link}`);
    symlinkSync(name, next);
    this.#step(`switch ${link}`);
    renameSync(next, this.#path(link));
    this.#step(`switched ${link}`);
  }

  #readSet(link: string): Manifest | undefined {
    const name = target(this.#path(link));
    return name !== undefined && setFolder.test(name) ? readStoredSet(this.#path(name)) : undefined;
  }

  /** Files of others are never replaced: a symbolic link among them could lead out of the root. */
  #requireOwn(name: string): void {
    const path = this.#path(name);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
    if (target(path) === join(dataLink, name)) return;
    throw new OperationalError(
      errors.ConfigRootOccupied,
      `${path} exists and was not written by the agent. Move it away, or choose another --configroot.`,
    );
  }

  #path(name: string): string {
    return join(this.#root, name);
  }
}

function temporary(link: string): string {
  return `${link}_tmp`;
}

function namesOf(manifest: Manifest | undefined): Set<string> {
  return new Set(Object.keys(manifest?.files ?? {}).map(firstName));
}

/** The target of a symbolic link; undefined for anything else. */
function target(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch (error) {
    return unlessMissing(error);
  }
}

function makeFolders(root: string, path: string): void {
  if (path === '.') return;
  makeFolders(root, dirname(path));
  makeFolder(join(root, path));
}

function makeFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  mkdirSync(path);
  allowReading(path);
}
