import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import { networkError } from './open-request.ts';

/**
 * Resolves with the head of the response. Rejects with a NetworkError, which also ends the request. The timeout starts
 * when the whole request is sent: the client decides how long its body takes.
 */
export function awaitAnswer(
  request: ClientRequest,
  clock: Clock,
  timeoutMs: number | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const onTimeout = () => {
      const sent = request.socket === null ? 'no' : 'maybe';
      request.destroy(new NetworkError('ETIMEDOUT', sent, `no response within ${timeoutMs} ms`));
    };
    let cancel = () => {};
    let isAnswered = false;
    if (timeoutMs !== undefined)
      request.once('finish', () => {
        // A response may arrive before the request is complete.
        if (!isAnswered) cancel = clock.after(timeoutMs, onTimeout);
      });
    request.once('response', (answer) => {
      cancel();
      isAnswered = true;
      resolve(answer);
    });
    request.once('close', () => {
      cancel();
      // 'close' follows every response, and creating an Error is the most expensive step here.
      if (isAnswered) return;
      reject(
        networkError(
          request,
          Object.assign(new Error('the request ended without a response'), { code: 'ECONNRESET' }),
        ),
      );
    });
    // The listener is never removed: the request may emit an error after the head of the response.
    request.on('error', (error) => {
      cancel();
      reject(networkError(request, error));
    });
  });
}
