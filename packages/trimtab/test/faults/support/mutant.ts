import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

/** Replaces `from` in a source file, which must contain it exactly once. */
export interface Mutation {
  file: string;
  from: string;
  to: string;
}

/** A copy of the program with a planted bug, so production code needs no hooks for tests. */
export class Mutant implements AsyncDisposable {
  readonly program: string;
  /** Folder with the sources of the copy. */
  readonly sources: string;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.sources = join(folder, 'src');
    this.program = join(folder, 'src/bin/trimtab.ts');
  }

  static async of(...mutations: Mutation[]): Promise<Mutant> {
    const folder = await mkdtemp(join(tmpdir(), 'trimtab-mutant-'));
    await cp(join(root, 'src'), join(folder, 'src'), { recursive: true });
    await cp(join(root, 'package.json'), join(folder, 'package.json'));
    await symlink(join(root, '../../node_modules'), join(folder, 'node_modules'));
    for (const { file, from, to } of mutations) {
      const path = join(folder, file);
      const text = await readFile(path, 'utf8');
      if (text.split(from).length !== 2)
        throw new Error(`cannot plant the bug: ${file} must contain this text exactly once: ${from}`);
      await writeFile(
        path,
        text.replace(from, () => to),
      );
    }
    return new Mutant(folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
