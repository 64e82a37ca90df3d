import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of all files of the test bed: binaries, image layers, and the state of running beds. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return join(base, 'trimtab', 'bed');
}

/** The folder that contains one folder per running bed. */
export function runFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), 'run');
}
