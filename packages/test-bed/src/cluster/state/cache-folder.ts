import { homedir } from 'node:os';
import { join } from 'node:path';

/** Everything the bed keeps is below this folder: binaries, image layers, and the state of running beds. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const base = env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  return join(base, 'trimtab', 'bed');
}

/** Where the state of running beds is, one folder for each. */
export function runFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), 'run');
}
