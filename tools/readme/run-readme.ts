import { symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { UpProcess } from '../../demo/test/up-process.ts';
import type { Recording } from '../picture/recording.ts';
import { RecordedShell } from '../picture/shell.ts';

const root = path.dirname(path.dirname(import.meta.dirname));

/** What npm warns about on this machine is not part of the documentation. */
export const quietNpm = { npm_config_userconfig: '/dev/null', npm_config_update_notifier: 'false' };

export interface ReadmeRun {
  /** Time between two keys. */
  typingMs: number;
  /** Time to read the result of a command. */
  holdMs: (command: string) => number;
}

/**
 * Types commands into a shell, in a terminal as wide as the blocks of the README. The folder of the shell looks like a checkout in
 * which `npm start` runs.
 */
export async function runInShell(
  up: Pick<UpProcess, 'stateDir'>,
  commands: readonly string[],
  { typingMs, holdMs }: ReadmeRun,
): Promise<Recording> {
  const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-readme-'));
  try {
    symlinkSync(up.stateDir, path.join(folder, '.trimtab'));
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    await using shell = await RecordedShell.start({
      ...{ columns: 96, rows: 27, folder, typingMs },
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: homedir(),
        LANG: 'C.UTF-8',
        ...quietNpm,
      },
    });
    for (const command of commands) await shell.run(command, holdMs(command));
    return shell.recording;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
