import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import { unlessMissing } from './file-errors.ts';

/** The link by which the kubelet replaces all files of a folder at once. */
const dataLink = '..data';
/** The kubelet removes the old files after a replacement, so a reader may miss them. */
const attempts = 3;
const pollMs = 10_000;

/** Folders that the kubelet keeps up to date. Files are read again only after a replacement. */
export class KeptFolders {
  readonly #folders: readonly string[];
  readonly #read = new Map<string, { state: string; files: ReadonlyMap<string, Buffer> }>();

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  read(folder: string): ReadonlyMap<string, Buffer> {
    const state = stateOf(folder);
    const known = this.#read.get(folder);
    if (state !== undefined && known?.state === state) return known.files;
    const files = readFiles(folder);
    if (state !== undefined) this.#read.set(folder, { state, files });
    return files;
  }

  /** Calls `onChange` when the kubelet has replaced files. */
  async run(onChange: () => void, clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.#folders.length === 0) return;
    while (!signal.aborted) {
      await sleep(clock, pollMs, signal).catch(() => {});
      if (signal.aborted) return;
      const isChanged = this.#folders.some((folder) => {
        const state = stateOf(folder);
        return state === undefined || state !== this.#read.get(folder)?.state;
      });
      if (isChanged) onChange();
    }
  }
}

/** Names the present state of a folder of the kubelet; undefined for a folder without `..data`. */
function stateOf(folder: string): string | undefined {
  try {
    return readlinkSync(join(folder, dataLink));
  } catch {
    return undefined;
  }
}

function readFiles(folder: string): ReadonlyMap<string, Buffer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return filesBelow(join(folder, stateOf(folder) ?? '.'));
    } catch (error) {
      if (attempt >= attempts) throw error;
      unlessMissing(error);
    }
  }
}

function filesBelow(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (statSync(file).isFile()) files.set(relative(folder, file), readFileSync(file));
  }
  return files;
}
