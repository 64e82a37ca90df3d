import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compiledProgram, trimtabCommand } from '../../support/trimtab-command.ts';

const bins = path.resolve(import.meta.dirname, '../../../bin');

/** A folder for the PATH with the programs of Trimtab under the names that an installation gives them. */
export class InstalledLinks implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<InstalledLinks> {
    const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-links-'));
    const [file, args] = trimtabCommand([]);
    const words = [file, ...args].map((word) => `'${word}'`).join(' ');
    await writeFile(path.join(folder, 'trimtab'), `#!/bin/sh\nexec ${words} "$@"\n`);
    await chmod(path.join(folder, 'trimtab'), 0o755);
    // npm links the files of `bin` without their suffix. The compiled program is one file for all names.
    for (const name of ['kubectl-trimtab', 'kubectl_complete-trimtab'])
      await symlink(compiledProgram ?? path.join(bins, `${name}.mjs`), path.join(folder, name));
    return new InstalledLinks(folder);
  }

  /** Runs a program with this folder at the front of the PATH. A non-zero exit code is part of the result. */
  run(
    file: string,
    args: readonly string[],
    env: Record<string, string>,
  ): Promise<{ stdout: string; stderr: string; code: number }> {
    const PATH = `${this.folder}${path.delimiter}${process.env['PATH'] ?? ''}`;
    const HOME = process.env['HOME'] ?? '';
    return new Promise((resolve) => {
      execFile(file, [...args], { env: { HOME, ...env, PATH } }, (error, stdout, stderr) => {
        resolve({ stdout, stderr, code: typeof error?.code === 'number' ? error.code : error ? -1 : 0 });
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
