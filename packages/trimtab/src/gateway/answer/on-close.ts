import type { ServerResponse } from 'node:http';

/**
 * Calls `release` when the response is over, and at once for one that is over already: its client may leave at any await,
 * and the event `close` is not repeated.
 */
export function onClose(response: ServerResponse, release: () => void): void {
  if (response.destroyed || response.closed) release();
  else response.once('close', release);
}
