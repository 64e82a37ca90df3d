import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import { networkError } from './open-request.ts';

/**
 * Resolves with the head of the answer; rejects with a NetworkError, which ends the request. The time runs from when
 * the whole request was sent: how long a body takes is its client's affair.
 */
export function awaitAnswer(
  request: ClientRequest,
  clock: Clock,
  timeoutMs: number | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const onTimeout = () => {
      const sent = request.socket === null ? 'no' : 'maybe';
      request.destroy(new NetworkError('ETIMEDOUT', sent, `no answer within ${timeoutMs} ms`));
    };
    let cancel = () => {};
    let isAnswered = false;
    if (timeoutMs !== undefined)
      request.once('finish', () => {
        // An answer may come before the request is whole.
        if (!isAnswered) cancel = clock.after(timeoutMs, onTimeout);
      });
    request.once('response', (answer) => {
      cancel();
      isAnswered = true;
      resolve(answer);
    });
    request.once('close', () => {
      cancel();
      // An error costs more than all else here, and this happens after every answer.
      if (isAnswered) return;
      reject(networkError(request, Object.assign(new Error('the request ended'), { code: 'ECONNRESET' })));
    });
    // Stays for good: after the answer's head, an error of the request is one of the answer as well.
    request.on('error', (error) => {
      cancel();
      reject(networkError(request, error));
    });
  });
}
