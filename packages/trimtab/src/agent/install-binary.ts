import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { describeWriteError } from './files/file-errors.ts';

/**
 * Copies the program to a folder, usually a volume that an init container shares with the container of the application.
 * The copy appears under its name when it is complete.
 */
export function installBinary(program: string, folder: string): string {
  const target = join(folder, 'trimtab-agent');
  const draft = join(folder, `.trimtab-agent-${process.pid}`);
  try {
    mkdirSync(folder, { recursive: true });
    copyFileSync(program, draft);
    chmodSync(draft, 0o755);
    renameSync(draft, target);
  } catch (cause) {
    if (existsSync(draft)) rmSync(draft, { force: true });
    throw new OperationalError(errors.ConfigInvalid, `--install-to: ${describeWriteError(cause, folder)}`, {
      cause,
    });
  }
  return target;
}
