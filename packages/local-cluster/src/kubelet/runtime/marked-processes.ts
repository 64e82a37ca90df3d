import { type ProcessTable, processTable } from './process-table.ts';
import { killProcess } from './signals.ts';

/** Every process of a container inherits this variable, including one that has left the process group. */
export const markVariable = 'LOCAL_CLUSTER_CONTAINER_ID';

/**
 * Kills every process whose environment marks it as part of one of these containers: daemons that left their process
 * group, and processes of a kubelet that died before it recorded their PID. Returns how many were killed. Processes
 * with a PID below `lowestPid` are skipped, which saves reading their environments.
 */
export function killMarked(
  containerIds: ReadonlySet<string>,
  lowestPid = 0,
  table: ProcessTable = processTable,
): number {
  if (containerIds.size === 0) return 0;
  let killed = 0;
  // A process forked during one pass is found by the next.
  for (let look = 0; look < 5; look++) {
    const found = table
      .marked(markVariable, containerIds, lowestPid)
      .filter((pid) => pid >= lowestPid && pid !== process.pid);
    if (found.length === 0) break;
    for (const pid of found) if (killProcess(pid)) killed++;
  }
  return killed;
}
