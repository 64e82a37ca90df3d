import { setTimeout as delay } from 'node:timers/promises';
import { BedError } from '../terminal/bed-error.ts';

export interface Wait {
  /** Completes the sentence 'gave up waiting for …'. */
  what: string;
  seconds: number;
  /** True when it has come. Errors mean 'not yet' and the last one is shown when time runs out. */
  probe: () => boolean | Promise<boolean>;
  /** Called between probes: throws when waiting has become pointless. */
  check?: () => void;
  /** More lines for the error, such as the end of a log. */
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
      const seen = lastError instanceof Error ? [`last answer: ${lastError.message}`] : [];
      throw new BedError(
        `gave up waiting for ${wait.what} after ${wait.seconds} s`,
        [...seen, ...(wait.details?.() ?? [])],
        { cause: lastError },
      );
    }
    await delay(betweenProbesMs);
  }
}
