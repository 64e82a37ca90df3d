import { type ProcessTable, processTable } from './process-table.ts';
import { killProcess } from './signals.ts';

/** Every process of a container inherits it, also one that has left the process group. */
export const markVariable = 'LOCAL_CLUSTER_CONTAINER_ID';

/**
 * Kills whatever carries the mark of one of these containers: daemons that left their group, and processes of a kubelet
 * that died before it could write down their PID. Answers how many there were. Who knows the lowest PID that they can
 * have spares a look at all the others.
 */
export function killMarked(
  containerIds: ReadonlySet<string>,
  lowestPid = 0,
  table: ProcessTable = processTable,
): number {
  if (containerIds.size === 0) return 0;
  let killed = 0;
  // What is forked while we look is found by the next look.
  for (let look = 0; look < 5; look++) {
    const found = table
      .marked(markVariable, containerIds, lowestPid)
      .filter((pid) => pid >= lowestPid && pid !== process.pid);
    if (found.length === 0) break;
    for (const pid of found) if (killProcess(pid)) killed++;
  }
  return killed;
}
