import type { Turns } from '../limits/turns.ts';
import type { UnsentAccount } from '../limits/unsent-budget.ts';

/** Parsing a larger response of the API server takes more than 1 ms, so it waits for a turn to use the CPU. */
const smallAnswerBytes = 64 * 1024;

export interface ParsingOptions {
  turns: Turns;
  /** Memory of the request, for which the response waits. */
  unsent: UnsentAccount;
  /** Whether the request changes nothing. Only such a request is refused when its caller has no memory left. */
  isRead: boolean;
  /** Authenticates the caller and returns what identifies it for the limits. */
  identity(): Promise<string>;
  /** Identifies a caller whom the API server has not authenticated. */
  credential: string;
}

/**
 * Returns what a client of the API server awaits before it parses a response of so many bytes. However many responses wait,
 * none is parsed out of turn: the limit of requests in progress bounds their number, and a series of writes that has begun
 * is completed.
 */
export function parsingTurns({ turns, unsent, isRead, identity, credential }: ParsingOptions) {
  return async (bytes: number): Promise<void> => {
    if (bytes <= smallAnswerBytes) return;
    if (isRead) unsent.charge(bytes);
    else unsent.note(bytes);
    try {
      await turns.take(await identity().catch(() => `credential ${credential}`));
    } finally {
      unsent.release(bytes);
    }
  };
}
