import { setTimeout as delay } from 'node:timers/promises';
import { BedError } from '../terminal/bed-error.ts';

export interface Wait {
  /** Completes the sentence 'timed out waiting for …'. */
  what: string;
  seconds: number;
  /** Returns true when the condition holds. An error means 'not yet'; the last error is shown on a timeout. */
  probe: () => boolean | Promise<boolean>;
  /** Called between probes. Throws when the condition can no longer become true. */
  check?: () => void;
  /** Additional lines for the error, such as the end of a log. */
  details?: () => string[];
}

const betweenProbesMs = 40;

export async function waitFor(wait: Wait): Promise<void> {
  const deadline = performance.now() + wait.seconds * 1000;
  let lastError: unknown;
  for (;;) {
    try {
      if (await wait.probe()) return;
    } catch (error) {
      lastError = error;
    }
    wait.check?.();
    if (performance.now() > deadline) {
      const seen = lastError instanceof Error ? [`last error: ${lastError.message}`] : [];
      throw new BedError(
        `timed out waiting for ${wait.what} after ${wait.seconds} s`,
        [...seen, ...(wait.details?.() ?? [])],
        { cause: lastError },
      );
    }
    await delay(betweenProbesMs);
  }
}
