import { constants } from 'node:os';
import { isThere, type ProcessIdentity } from './process-identity.ts';

/** Sends a signal to a process group of ours; false when nothing is left of it. */
export function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  return send(-leader, signal);
}

/** Kills a whole group that an earlier kubelet left behind, and only when its leader is the very process it was. */
export function killRemembered(identity: ProcessIdentity): boolean {
  return isThere(identity) && send(-identity.pid, 'SIGKILL');
}

export function killProcess(pid: number): boolean {
  return send(pid, 'SIGKILL');
}

/** As shells and container runtimes tell it: 128 and the signal's number. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** `stopSignal` of a container; TERM unless told, or when this system does not know it. */
export function stopSignalOf(name: string | undefined): NodeJS.Signals {
  return name !== undefined && name in constants.signals ? (name as NodeJS.Signals) : 'SIGTERM';
}

function send(target: number, signal: NodeJS.Signals): boolean {
  // 0 and -1 would mean our own group, and everybody.
  if (!Number.isSafeInteger(target) || Math.abs(target) <= 1) return false;
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
