import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The commit that is measured, with `-dirty` when the clone has other changes; `unknown` without git or a clone. */
export async function gitCommit(): Promise<string> {
  try {
    const command = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
    const { stdout } = await promisify(execFile)('git', command, { cwd: import.meta.dirname });
    return stdout.trim();
  } catch {
    return 'unknown';
  }
}
