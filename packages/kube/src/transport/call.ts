import type { IncomingMessage } from 'node:http';
import type { ClusterAccess } from '../access.ts';
import { type Clock, sleep } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import { apiErrorOf } from './answer.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { ApiError, NetworkError } from './errors.ts';
import { type Answer, Exchange, type OutgoingRequest } from './exchange.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { RequestScheduler } from './request-scheduler.ts';
import type { RequestShape } from './request-shape.ts';
import { type RequestKind, retryDecision } from './retry-decision.ts';

/** State that all calls of one client share. */
export interface CallContext {
  access: ClusterAccess;
  pool: ConnectionPool;
  scheduler: RequestScheduler;
  clock: Clock;
  log: Logger;
  metrics: RequestMetrics | undefined;
  userAgent: string;
  /** Limits the time that a server asks for with Retry-After. Unlimited by default. */
  maxRetryAfterMs?: number;
}

export interface CallLimits {
  signal: AbortSignal | undefined;
  timeoutMs: number;
  lowPriority?: boolean;
}

/**
 * Sends one request with its retries, all within `timeoutMs`. Returns a 2xx response with its complete body. The
 * timeout of a low-priority request starts when the scheduler admits it.
 */
export async function call(caller: CallContext, shape: RequestShape, limits: CallLimits): Promise<Answer> {
  const { scheduler } = caller;
  const once = (turn: Promise<() => void> | undefined, remaining: CallLimits) =>
    attempt(caller, shape, turn, remaining, async (exchange) => {
      const answer = await answerOf(exchange, await exchange.response);
      if (answer.status < 200 || answer.status > 299) throw apiErrorOf(answer, nameOf(shape));
      return answer;
    });
  if (limits.lowPriority !== true)
    return withRetries(caller, shape, limits, (remaining) => once(scheduler.take(), remaining));
  const turn = scheduler.take(true);
  try {
    await unlessAborted(turn, limits.signal);
    return await withRetries(caller, shape, limits, (remaining) => once(undefined, remaining));
  } finally {
    void turn.then((end) => end());
  }
}

async function unlessAborted(turn: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return void (await turn);
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([turn, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

interface OpenWatch {
  status: number;
  exchange: Exchange;
  response: IncomingMessage;
}

/** Resolves with the response headers of a 200. `timeoutMs` applies only until then. */
export function openWatch(caller: CallContext, shape: RequestShape, limits: CallLimits): Promise<OpenWatch> {
  return withRetries(caller, shape, limits, (remaining) =>
    attempt(caller, shape, undefined, remaining, async (exchange) => {
      const response = await exchange.response;
      if (response.statusCode === 200) return { status: 200, exchange, response };
      throw apiErrorOf(await answerOf(exchange, response), nameOf(shape));
    }),
  );
}

async function answerOf(exchange: Exchange, response: IncomingMessage): Promise<Answer> {
  const body = await exchange.readBody(response);
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

async function withRetries<T extends { status: number }>(
  caller: CallContext,
  shape: RequestShape,
  { signal, timeoutMs }: CallLimits,
  attemptOnce: (remaining: CallLimits) => Promise<T>,
): Promise<T> {
  const { clock, log, metrics, access, pool, maxRetryAfterMs = Number.POSITIVE_INFINITY } = caller;
  const deadline = clock.monotonic() + timeoutMs;
  let credentialsRenewed = access.invalidate === undefined;
  for (let attempts = 1; ; attempts++) {
    signal?.throwIfAborted();
    const started = clock.monotonic();
    const { generation } = pool;
    try {
      const result = await attemptOnce({ signal, timeoutMs: deadline - started });
      metrics?.answered(shape, String(result.status), clock.monotonic() - started);
      return result;
    } catch (error) {
      signal?.throwIfAborted();
      metrics?.answered(shape, codeOf(error), clock.monotonic() - started);
      const decision = retryDecision({
        error,
        kind: kindOf(shape),
        attempts,
        credentialsRenewed,
        remainingMs: deadline - clock.monotonic(),
        maxRetryAfterMs,
        jitter: Math.random(),
      });
      if (decision.action === 'give up') throw error;
      if (decision.action === 'renew credentials') {
        credentialsRenewed = true;
        // Many concurrent requests may get a 401; the first of them renews the credentials for all.
        if (pool.generation === generation) {
          log.debug({ verb: shape.verb, path: shape.path }, 'kubernetes credentials rejected; renewing');
          access.invalidate?.();
          pool.renew();
        }
        continue;
      }
      log.debug(
        { verb: shape.verb, path: shape.path, attempts, err: error },
        'kubernetes request failed; retrying',
      );
      await sleep(clock, decision.delayMs, signal);
    }
  }
}

/** Runs one exchange. Aborts it when `signal` aborts or the timeout expires, even while it waits for a slot. */
async function attempt<T>(
  caller: CallContext,
  shape: RequestShape,
  turn: Promise<() => void> | undefined,
  { signal, timeoutMs }: CallLimits,
  work: (exchange: Exchange) => Promise<T>,
): Promise<T> {
  let exchange: Exchange | undefined;
  const stopped = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    exchange?.abort(reason);
    stopped.reject(reason);
  };
  const onTimeout = () => {
    const message = `no complete response within ${Math.round(timeoutMs)} ms`;
    stop(
      exchange?.failure('ETIMEDOUT', message) ??
        new NetworkError('ETIMEDOUT', 'no', `${nameOf(shape)}: ${message}`),
    );
  };
  const onAbort = () => stop(signal?.reason);
  const cancel = caller.clock.after(timeoutMs, onTimeout);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([turn, stopped.promise]);
    // An exec plugin may take long to return a credential.
    const request = await Promise.race([outgoing(caller, shape), stopped.promise]);
    exchange = new Exchange(caller.pool, request);
    return await work(exchange);
  } finally {
    cancel();
    signal?.removeEventListener('abort', onAbort);
    void turn?.then((end) => end());
  }
}

async function outgoing(caller: CallContext, shape: RequestShape): Promise<OutgoingRequest> {
  const query = shape.query.size === 0 ? '' : `?${shape.query}`;
  const headers: Record<string, string | string[]> = {
    accept: shape.accept,
    'user-agent': caller.userAgent,
    ...(await caller.access.headers()),
    ...caller.access.repeatedHeaders,
  };
  const request = { method: shape.method, path: shape.path + query, headers };
  if (shape.body === undefined) return request;
  const body = Buffer.from(JSON.stringify(shape.body));
  headers['content-type'] = shape.contentType ?? 'application/json';
  headers['content-length'] = String(body.length);
  return { ...request, body };
}

function nameOf(shape: RequestShape): string {
  return `${shape.method} ${shape.path}`;
}

function kindOf({ verb, method }: RequestShape): RequestKind {
  if (verb === 'watch') return 'watch';
  return method === 'GET' ? 'read' : 'write';
}

function codeOf(error: unknown): string {
  if (error instanceof ApiError) return String(error.status);
  return error instanceof NetworkError ? error.code : 'credentials';
}
