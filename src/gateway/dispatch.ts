import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../platform/log.ts';
import { fromUpstream, StatusError } from './answer/status-error.ts';
import { writeRefusal } from './answer/write-answer.ts';
import type { Caller } from './request/gateway-request.ts';
import type { RouteTable } from './route/match.ts';

export interface DispatchOptions {
  routes: RouteTable;
  /** Who asks; throws a StatusError for whom nobody knows. */
  identify(incoming: IncomingMessage, signal: AbortSignal): Promise<Caller>;
  /** Everything that is not ours: to the API server as it came, with the body that was read already, if any. */
  pass(incoming: IncomingMessage, response: ServerResponse, body?: Buffer): Promise<void>;
  log: Logger;
}

/** Answers one request: by a route of ours, or by the API server. */
export async function dispatch(
  options: DispatchOptions,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('the client is gone')));
  try {
    const { path, query } = target(incoming);
    const match = options.routes.find(incoming.method ?? '', path);
    if (match === undefined) return await options.pass(incoming, response);
    const caller = await options.identify(incoming, gone.signal);
    const { route, parameters } = match;
    const request = { parameters, query, caller, signal: gone.signal, incoming, response };
    const handled = await route.handle(request);
    if (handled !== 'answered') await options.pass(incoming, response, handled.pass);
  } catch (error) {
    refuse(options, response, error);
  }
}

function refuse({ log }: DispatchOptions, response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.writableEnded) return;
  const known = error instanceof StatusError ? error : fromUpstream(error);
  if (known === undefined) log.error({ err: error }, 'request failed');
  if (response.headersSent) response.destroy();
  else
    writeRefusal(
      response,
      known ?? new StatusError(500, 'InternalError', 'the gateway failed; its log says why'),
    );
}

function target({ url = '/' }: IncomingMessage): { path: string; query: URLSearchParams } {
  const mark = url.indexOf('?');
  if (mark < 0) return { path: url, query: new URLSearchParams() };
  return { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}
