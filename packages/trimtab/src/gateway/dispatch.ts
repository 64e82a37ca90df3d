import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { PodToken } from './admit-request.ts';
import { forbidden, fromUpstream, StatusError } from './answer/status-error.ts';
import { writeRefusal } from './answer/write-answer.ts';
import type { Principal } from './identity/principal.ts';
import { isLongRunning } from './proxy/long-running.ts';
import type { Caller } from './request/gateway-request.ts';
import type { GatewayMetrics } from './request-metrics.ts';
import type { RouteTable } from './route/match.ts';

export interface DispatchOptions {
  routes: RouteTable;
  /** Whose rights a request is made with; throws a StatusError for one that goes nowhere. */
  admit(incoming: IncomingMessage): Principal | PodToken;
  /** The same for a route of ours; throws a StatusError for whom nobody knows. */
  identify(principal: Principal | PodToken, incoming: IncomingMessage, signal: AbortSignal): Promise<Caller>;
  /** Everything that is not ours: to the API server as it came, with the body that was read already, if any. */
  pass(
    principal: Principal,
    incoming: IncomingMessage,
    response: ServerResponse,
    body?: Buffer,
  ): Promise<void>;
  /** Aborts, with a StatusError, when the gateway stops. */
  stopping: AbortSignal;
  metrics: GatewayMetrics;
  log: Logger;
  clock?: Clock;
}

/** Answers one request: by a route of ours, or by the API server. */
export async function dispatch(
  options: DispatchOptions,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { clock = systemClock, metrics } = options;
  const { method = '', url = '' } = incoming;
  const isStream = isLongRunning(method, url);
  const started = clock.monotonic();
  let answeredBy = 'refused';
  let caller: Caller | undefined;
  response.once('close', () => {
    const tookMs = isStream ? undefined : clock.monotonic() - started;
    metrics.answered(answeredBy, method, response.headersSent ? response.statusCode : 499, tookMs);
  });
  try {
    const principal = options.admit(incoming);
    const { path, query } = target(url);
    const match = options.routes.find(method, path);
    answeredBy = match?.route.document.operationId ?? 'pass-through';
    if (match === undefined) return await options.pass(refusePodToken(principal), incoming, response);
    const signal = signalFor(response, isStream ? options.stopping : undefined);
    caller = await options.identify(principal, incoming, signal);
    const { route, parameters } = match;
    const handled = await route.handle({ parameters, query, caller, signal, incoming, response });
    if (handled === 'answered') return;
    caller = undefined;
    await options.pass(refusePodToken(principal), incoming, response, handled.pass);
  } catch (error) {
    refuse(options, response, error, effectOf(method, caller));
  }
}

/** Pods have a way of their own to what is theirs, and no other: see DESIGN §6. */
export function refusePodToken(principal: Principal | PodToken): Principal {
  if (principal.is !== 'pod-token') return principal;
  throw forbidden('a pod may read the current version of its own configs here, and nothing else');
}

export function refuse(
  { log, stopping }: Pick<DispatchOptions, 'log' | 'stopping'>,
  response: ServerResponse,
  error: unknown,
  mayHaveChanged?: boolean,
): void {
  if (response.destroyed || response.writableEnded) return;
  const known = error instanceof StatusError ? error : fromUpstream(error, mayHaveChanged);
  if (known === undefined) log.error({ err: error }, 'request failed');
  if (!response.headersSent)
    writeRefusal(
      response,
      known ?? new StatusError(500, 'InternalError', 'the gateway failed; its log says why'),
    );
  // A stream that we end because we stop is whole as it is.
  else if (error === stopping.reason) response.end();
  else response.destroy();
}

/** Undefined for what passed through: there, the one call that failed tells. */
function effectOf(method: string, caller: Caller | undefined): boolean | undefined {
  if (method === 'GET' || method === 'HEAD') return false;
  return caller?.is === 'person' ? caller.mayHaveWritten() : undefined;
}

/** Aborts when the client is gone; a stream's also when the gateway stops. */
function signalFor(response: ServerResponse, stopping: AbortSignal | undefined): AbortSignal {
  const controller = new AbortController();
  const onStop = () => controller.abort(stopping?.reason);
  stopping?.addEventListener('abort', onStop);
  if (stopping?.aborted) onStop();
  response.once('close', () => {
    stopping?.removeEventListener('abort', onStop);
    controller.abort(new Error('the client is gone'));
  });
  return controller.signal;
}

function target(url: string): { path: string; query: URLSearchParams } {
  const mark = url.indexOf('?');
  if (mark < 0) return { path: url, query: new URLSearchParams() };
  return { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}
