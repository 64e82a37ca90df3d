import { killMarked } from '../runtime/marked-processes.ts';
import { killRemembered } from '../runtime/signals.ts';
import type { ContainerRecord, Exit } from './container-record.ts';
import { PodFolder, type PodState, podFolders } from './pod-folder.ts';

/**
 * Kills every process that an earlier kubelet left behind, as a reboot of the node would, and returns the saved state
 * of its pods. The exits of these containers were not observed.
 */
export function recoverPods(podsDir: string, now: number): { states: PodState[]; killed: number } {
  const states: PodState[] = [];
  const running = new Set<string>();
  let killed = 0;
  for (const uid of podFolders(podsDir)) {
    const folder = new PodFolder(podsDir, uid);
    const state = folder.read();
    // Without a state no process was ever started. The folder is removed later if its pod no longer exists.
    if (state !== undefined) states.push(state);
    for (const { current } of Object.values(state?.containers ?? {})) {
      if (current === undefined) continue;
      running.add(current.id);
      if (current.process !== undefined && killRemembered(current.process)) killed++;
    }
  }
  killed += killMarked(running);
  for (const state of states) for (const record of Object.values(state.containers)) closeRecord(record, now);
  return { states, killed };
}

function closeRecord(record: ContainerRecord, now: number): void {
  const { current } = record;
  record.fromBefore = true;
  if (current === undefined) return;
  delete record.current;
  // The process was never created, so this start does not count.
  if (current.process === undefined) {
    record.made--;
    return;
  }
  record.exit = unseenEnd(current.id, current.startedAt, now);
}

function unseenEnd(containerID: string, startedAt: number, finishedAt: number): Exit {
  return { containerID, exitCode: 255, reason: 'Unknown', startedAt, finishedAt };
}
