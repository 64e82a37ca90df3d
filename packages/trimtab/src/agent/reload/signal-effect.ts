import { constants } from 'node:os';
import type { SignalMasks } from './process.ts';

/** What a signal does to a process. */
export type SignalEffect = 'handled' | 'blocked' | 'ignored' | 'ends the process';

/** Signals whose default action does not end a process. */
const harmless = new Set(['SIGCHLD', 'SIGCONT', 'SIGURG', 'SIGWINCH']);

/**
 * Reads the effect of a signal from the masks of the process. A program that has just started has no handler yet, and
 * SIGHUP or SIGUSR1 would end it. A signal that stays blocked is one that the program waits for (sigwait, signalfd).
 */
export function signalEffect(
  signal: NodeJS.Signals,
  { caught, blocked, ignored }: SignalMasks,
): SignalEffect {
  const bit = 1n << BigInt(constants.signals[signal] - 1);
  if ((caught & bit) !== 0n) return 'handled';
  if ((blocked & bit) !== 0n) return 'blocked';
  if ((ignored & bit) !== 0n || harmless.has(signal)) return 'ignored';
  return 'ends the process';
}

/** `SIGHUP` for `SIGHUP`, `HUP`, `hup` and `1`; undefined for anything else. */
export function signalName(text: string): NodeJS.Signals | undefined {
  const upper = text.toUpperCase();
  const name = upper.startsWith('SIG') ? upper : `SIG${upper}`;
  const found = Object.entries(constants.signals).find(
    ([known, number]) => known === name || String(number) === text,
  );
  return found?.[0] as NodeJS.Signals | undefined;
}
