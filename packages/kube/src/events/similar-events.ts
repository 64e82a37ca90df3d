/** Events with the same object, type and reason. `messages` holds digests, so that its size is known. */
export interface SimilarEvents {
  readonly messages: readonly string[];
  readonly lastAt: number;
}

interface SimilarityLimits {
  similarMessages: number;
  similarWithinMs: number;
}

/**
 * Whether a message is shown by itself or combined with others like it: the first few different ones stay as
 * they are, for as long as the group is alive, and what comes after them shares one event.
 */
export function joinSimilar(
  before: SimilarEvents | undefined,
  message: string,
  limits: SimilarityLimits,
  now: number,
): { combined: boolean; group: SimilarEvents } {
  const alive = before !== undefined && now - before.lastAt <= limits.similarWithinMs;
  const messages = alive ? before.messages : [];
  if (messages.includes(message)) return { combined: false, group: { messages, lastAt: now } };
  const combined = messages.length + 1 >= limits.similarMessages;
  return { combined, group: { messages: combined ? messages : [...messages, message], lastAt: now } };
}
