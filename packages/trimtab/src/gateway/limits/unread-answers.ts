import type { ServerResponse } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';

const checkEveryMs = 10_000;
/** A client that takes less than this between two checks is slow: 4 KiB per second, as for the body of a request. */
const minBytes = (4 * 1024 * checkEveryMs) / 1000;
/** A client that is slow at so many checks in a row is cut off. */
const maxSlowChecks = 3;

/** How a client takes an answer, at one check. */
export interface Progress {
  /** Bytes that the client has taken. */
  taken: number;
  /** Bytes that wait for the client. */
  unsent: number;
  slowChecks: number;
}

/** A client is slow only while bytes wait for it: an API server that takes its time is not the client's fault. */
export function nextProgress(
  { taken: before, slowChecks }: Progress,
  { taken, unsent }: Omit<Progress, 'slowChecks'>,
): Progress {
  const isSlow = unsent > 0 && taken - before < minBytes;
  return { taken, unsent, slowChecks: isSlow ? slowChecks + 1 : 0 };
}

/** Breaks off answers that their clients do not take, so that no client keeps its place among the requests for ever. */
export class UnreadAnswers {
  readonly #clock: Clock;
  readonly #onCutOff: () => void;
  readonly #open = new Map<ServerResponse, Progress>();
  #isChecking = false;

  constructor(clock: Clock, onCutOff: () => void) {
    this.#clock = clock;
    this.#onCutOff = onCutOff;
  }

  /** `response` is watched until it is closed. */
  watch(response: ServerResponse): void {
    this.#open.set(response, { ...measured(response), slowChecks: 0 });
    response.once('close', () => this.#open.delete(response));
    this.#checkLater();
  }

  /** Without answers no timer runs. */
  #checkLater(): void {
    if (this.#isChecking || this.#open.size === 0) return;
    this.#isChecking = true;
    this.#clock.after(checkEveryMs, () => {
      this.#isChecking = false;
      for (const [response, before] of this.#open) this.#check(response, before);
      this.#checkLater();
    });
  }

  #check(response: ServerResponse, before: Progress): void {
    const now = nextProgress(before, measured(response));
    this.#open.set(response, now);
    if (now.slowChecks < maxSlowChecks) return;
    this.#onCutOff();
    response.destroy();
  }
}

/** A response behind another one on its connection has no socket yet, and nothing that its client could take. */
function measured({ socket, writableLength }: ServerResponse): Omit<Progress, 'slowChecks'> {
  if (socket === null) return { taken: 0, unsent: 0 };
  // The socket counts the bytes that wait as written.
  return { taken: socket.bytesWritten - writableLength, unsent: writableLength };
}
