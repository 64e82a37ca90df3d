import { readdirSync, readFileSync } from 'node:fs';
import { type Process, parseMounts, parseStat, parseStatus } from './process.ts';

/** All processes that the agent can see: those of its PID namespace. */
export function readProcesses(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    const process = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
    return process === undefined ? [] : [process];
  });
}

/** Undefined when there is no such process, or it ended meanwhile. */
export function readProcess(pid: number): Process | undefined {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
  try {
    return {
      pid,
      ...parseStat(read('stat')),
      ...parseStatus(read('status')),
      arguments: read('cmdline').split('\0').filter(Boolean),
      mounts: readMounts(pid),
    };
  } catch {
    return undefined;
  }
}

/** A system may hide the mounts of processes of other users. */
function readMounts(pid: number): Process['mounts'] {
  try {
    return parseMounts(readFileSync(`/proc/${pid}/mountinfo`, 'utf8'));
  } catch {
    return [];
  }
}
