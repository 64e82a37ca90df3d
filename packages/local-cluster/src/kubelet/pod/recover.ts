import { killMarked } from '../runtime/marked-processes.ts';
import { killRemembered } from '../runtime/signals.ts';
import type { ContainerRecord, Exit } from './container-record.ts';
import { PodFolder, type PodState, podFolders } from './pod-folder.ts';

/**
 * Ends every process that an earlier kubelet has left, as a reboot of a node would, and answers what it knew of its
 * pods. Nobody saw how these containers ended.
 */
export function recoverPods(podsDir: string, now: number): { states: PodState[]; killed: number } {
  const states: PodState[] = [];
  const running = new Set<string>();
  let killed = 0;
  for (const uid of podFolders(podsDir)) {
    const folder = new PodFolder(podsDir, uid);
    const state = folder.read();
    // Without a state nothing was ever started in it; the folder goes when its pod does not come.
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
  // Its process was never made: this start did not happen.
  if (current.process === undefined) {
    record.made--;
    return;
  }
  record.exit = unseenEnd(current.id, current.startedAt, now);
}

function unseenEnd(containerID: string, startedAt: number, finishedAt: number): Exit {
  return { containerID, exitCode: 255, reason: 'Unknown', startedAt, finishedAt };
}
