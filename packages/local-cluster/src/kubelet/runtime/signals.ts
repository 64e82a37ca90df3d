import { constants } from 'node:os';
import { isThere, type ProcessIdentity } from './process-identity.ts';

/** Sends a signal to a process group; false when no process of the group is left. */
export function signalGroup(leader: number, signal: NodeJS.Signals): boolean {
  return send(-leader, signal);
}

/** Kills the process group that an earlier kubelet left behind, if the leader is still the recorded process. */
export function killRemembered(identity: ProcessIdentity): boolean {
  return isThere(identity) && send(-identity.pid, 'SIGKILL');
}

export function killProcess(pid: number): boolean {
  return send(pid, 'SIGKILL');
}

/** Exit code as shells and container runtimes report it: 128 plus the signal number after a signal. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** `stopSignal` of a container. Defaults to SIGTERM, also for a signal that this system does not have. */
export function stopSignalOf(name: string | undefined): NodeJS.Signals {
  return name !== undefined && name in constants.signals ? (name as NodeJS.Signals) : 'SIGTERM';
}

function send(target: number, signal: NodeJS.Signals): boolean {
  // Target 0 is the kubelet's own process group, and -1 is every process.
  if (!Number.isSafeInteger(target) || Math.abs(target) <= 1) return false;
  try {
    return process.kill(target, signal);
  } catch {
    return false;
  }
}
