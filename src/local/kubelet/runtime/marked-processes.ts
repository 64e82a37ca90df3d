import { readdirSync, readFileSync } from 'node:fs';
import { killProcess } from './signals.ts';

/** Every process of a container inherits it, also one that has left the process group. */
export const markVariable = 'TRIMTAB_CONTAINER_ID';

/**
 * Kills whatever carries the mark of one of these containers: daemons that left their group, and processes of a kubelet
 * that died before it could write down their PID. Answers how many there were. Only Linux shows environments. Who knows
 * the lowest PID that they can have spares a look at all the others.
 */
export function killMarked(containerIds: ReadonlySet<string>, lowestPid = 0): number {
  if (containerIds.size === 0 || process.platform !== 'linux') return 0;
  let killed = 0;
  // What is forked while we look is found by the next look.
  for (let look = 0; look < 5; look++) {
    const found = findMarked(containerIds, lowestPid);
    if (found.length === 0) break;
    for (const pid of found) if (killProcess(pid)) killed++;
  }
  return killed;
}

function findMarked(containerIds: ReadonlySet<string>, lowestPid: number): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid < lowestPid || pid === process.pid) return [];
    const mark = markOf(pid);
    return mark !== undefined && containerIds.has(mark) ? [pid] : [];
  });
}

function markOf(pid: number): string | undefined {
  try {
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
    const start = environment.indexOf(`\0${markVariable}=`);
    if (start < 0) return undefined;
    const value = start + markVariable.length + 2;
    const end = environment.indexOf('\0', value);
    return environment.slice(value, end < 0 ? undefined : end);
  } catch {
    // Gone meanwhile, or somebody else's.
    return undefined;
  }
}
