import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheFolder } from '../cluster/state/cache-folder.ts';

/** What the contract's cases were written with: another kubectl prints and sends other things. */
const wanted = 'v1.36.';

/**
 * The kubectl for tests on the local API server: the one that TRIMTAB_KUBECTL names, the one that the test bed has
 * built, or one on the PATH if it is of the right version; undefined when there is none.
 */
export function findKubectl(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env['TRIMTAB_KUBECTL'] !== undefined) return env['TRIMTAB_KUBECTL'] || undefined;
  const [built] = globSync(join(cacheFolder(env), `bin-${wanted}*`, 'kubectl'));
  if (built !== undefined) return built;
  const onPath = (env['PATH'] ?? '').split(delimiter).flatMap((folder) => globSync(join(folder, 'kubectl')));
  return onPath.find((file) => versionOf(file).startsWith(wanted));
}

function versionOf(file: string): string {
  try {
    const text = execFileSync(file, ['version', '--client', '--output=json'], { encoding: 'utf8' });
    return JSON.parse(text).clientVersion.gitVersion;
  } catch {
    return 'none';
  }
}
