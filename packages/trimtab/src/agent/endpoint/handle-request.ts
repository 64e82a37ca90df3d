import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointMetrics } from './endpoint-metrics.ts';
import { isPodAddress } from './pod-address.ts';
import type { Published } from './published.ts';
import { RequestError } from './request-error.ts';
import type { RequestLimits } from './request-limits.ts';
import { serveConfig } from './serve-config.ts';
import { addHook, type HooksContext, listHooks, removeHook } from './serve-hooks.ts';
import { writeError } from './write-response.ts';

export interface RequestContext extends HooksContext {
  published: Published;
  limits: RequestLimits;
  /** Throws a RequestError 401. */
  authorize: (header: string | undefined) => void;
  metrics: EndpointMetrics;
}

/** Answers every request, also after a defect of the endpoint. Never rejects. */
export async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): Promise<void> {
  const { clock, log, metrics } = context;
  response.once('finish', () => metrics.answered(response.statusCode));
  try {
    admit(request, context);
    await route(request, response, context);
  } catch (err) {
    if (!(err instanceof RequestError)) log.error({ err, method: request.method }, 'endpoint request failed');
    const error = err instanceof RequestError ? err : new RequestError(500, 'Internal error of the agent');
    if (response.headersSent) response.destroy();
    else await writeError(response, error, clock);
  }
}

function admit({ socket, headers }: IncomingMessage, context: RequestContext): void {
  const { target, limits, authorize, clock } = context;
  if (!isPodAddress(socket.remoteAddress ?? '', target.podIps))
    throw new RequestError(403, 'This endpoint serves the containers of its pod only; connect from this pod');
  const now = clock.monotonic();
  limits.requireFewFailures(now);
  try {
    authorize(headers.authorization);
  } catch (error) {
    limits.countFailure(now);
    throw error;
  }
  limits.countRequest(now);
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): Promise<void> {
  const { method = '', url = '' } = request;
  const [path = '', query = ''] = url.split(/\?(.*)/s);
  const [root, base, hooks, id, ...rest] = path.replace(/\/$/, '').split('/');
  if (root !== '' || base !== 'config' || (hooks ?? 'hooks') !== 'hooks' || rest.length > 0)
    throw new RequestError(
      404,
      'There is nothing at this path. GET /config returns the configs; /config/hooks lists the hooks',
    );
  if (hooks === undefined) {
    requireMethod(method, ['GET', 'HEAD']);
    // A body is not expected, and must not end the connection while the request waits.
    request.resume();
    return serveConfig(request, response, new URLSearchParams(query), context);
  }
  if (id !== undefined) {
    requireMethod(method, ['DELETE']);
    return removeHook(id, response, context);
  }
  requireMethod(method, ['GET', 'POST']);
  return method === 'POST' ? addHook(request, response, context) : listHooks(response, context);
}

function requireMethod(method: string, allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  const allow = allowed.join(', ');
  throw new RequestError(405, `This path does not support ${method}; use ${allow}`, { allow });
}
