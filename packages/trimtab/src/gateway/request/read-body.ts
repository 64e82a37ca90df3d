import type { IncomingMessage } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';
import { badRequest } from '../../versions/refusal.ts';
import { StatusError } from '../answer/status-error.ts';
import { BodyProgress } from './body-progress.ts';
import { GrowingBuffer } from './growing-buffer.ts';

export interface ReadBodyOptions {
  clock: Clock;
  /** In bytes. Defaults to the API server's own limit. */
  limit?: number | undefined;
  /** Called with the number of bytes before they are reserved in memory; what it throws refuses the body. */
  charge?(bytes: number): void;
}

/** The API server's own limit, in bytes. */
const maxBodyBytes = 3 * 1024 * 1024;

/**
 * Reads the whole body, or throws the API server's own error for one above the limit. At most `limit` bytes are kept in
 * memory. A body of up to four times the limit is read to its end before it is refused: a client that is still sending
 * may never read the response. A body has to keep coming: one that stops or is too slow is refused.
 */
export function readBody(
  incoming: IncomingMessage,
  { clock, limit = maxBodyBytes, charge = () => {} }: ReadBodyOptions,
): Promise<Buffer> {
  if (incoming.destroyed) return Promise.reject(disconnected());
  const patience = 4 * limit;
  const announced = Number(incoming.headers['content-length'] ?? limit);
  if (announced > patience) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const kept = new GrowingBuffer(Math.min(announced, limit), charge);
    let length = 0;
    const settle = (done: () => void) => {
      progress.stop();
      incoming.off('data', onData).off('end', onEnd).off('error', fail).off('close', onClose).pause();
      done();
    };
    const fail = (error: unknown) => settle(() => reject(error));
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      progress.received(chunk.length);
      if (length > patience) return fail(tooLarge(limit));
      if (length > limit) kept.clear();
      else
        try {
          kept.append(chunk);
        } catch (error) {
          fail(error);
        }
      return undefined;
    };
    const onEnd = () => settle(() => (length > limit ? reject(tooLarge(limit)) : resolve(kept.content())));
    const onClose = () => fail(disconnected());
    const progress = new BodyProgress({ clock, onTooSlow: fail });
    incoming.on('data', onData).once('end', onEnd).once('error', fail).once('close', onClose);
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function textOf(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw badRequest('the body is not valid UTF-8');
  }
}

function disconnected(): Error {
  return new Error('the client disconnected before the end of the body');
}

function tooLarge(limit: number): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);
}
