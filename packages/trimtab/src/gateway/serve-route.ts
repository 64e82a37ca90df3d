import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';
import { wantsYaml } from './answer/write-answer.ts';
import type { BodyBudget } from './limits/body-budget.ts';
import type { Turns } from './limits/turns.ts';
import type { BodyFormat } from './request/content-type.ts';
import type { Caller } from './request/gateway-request.ts';
import { readBody } from './request/read-body.ts';
import type { Match } from './route/match.ts';
import type { Handled, Route } from './route/route.ts';

/** Parsing a larger body may take more than 1 ms, so it waits for a turn. YAML takes about 30 times as long as JSON. */
const smallBodyBytes: Record<BodyFormat, number> = { json: 16 * 1024, yaml: 512 };

export interface ServeOptions {
  budget: BodyBudget;
  turns: Turns;
  clock: Clock;
}

export interface RouteRequest {
  match: Match;
  query: URLSearchParams;
  caller: Caller;
  /** Authenticates the caller and returns what identifies it for the limits. */
  authenticate(): Promise<string>;
  signal: AbortSignal;
  incoming: IncomingMessage;
  response: ServerResponse;
}

/** Serves a request with one of the gateway's own routes. The caller is authenticated before a body is read. */
export async function serveRoute(
  { budget, turns, clock }: ServeOptions,
  { match, authenticate, ...request }: RouteRequest,
): Promise<Handled> {
  const { route, parameters } = match;
  const { query, signal, incoming, response } = request;
  // Writing YAML takes several times as long as writing JSON.
  const isExpensive = isExpensiveRoute(route, query) || wantsYaml(incoming);
  const hasBody = route.method !== 'GET';
  if (!hasBody && !isExpensive)
    return route.handle({ ...request, parameters, readBody: noBody, endTurn: () => {} });
  const caller = await authenticate();
  const account = budget.open(caller);
  response.once('close', () => account.close());
  let endTurn: (() => void) | undefined;
  const startTurn = async () => {
    endTurn ??= await turns.take(caller, signal);
  };
  const sentFormat = /\byaml\b/i.test(incoming.headers['content-type'] ?? '') ? 'yaml' : 'json';
  try {
    if (!hasBody) await startTurn();
    return await route.handle({
      ...request,
      parameters,
      endTurn: () => endTurn?.(),
      async readBody(limit, format = sentFormat) {
        const body = await readBody(incoming, { clock, limit, charge: (bytes) => account.charge(bytes) });
        // The turn begins after the body, because the client decides how long its body takes.
        if (isExpensive || body.length > smallBodyBytes[format]) await startTurn();
        return body;
      },
    });
  } catch (error) {
    account.close();
    throw error;
  } finally {
    endTurn?.();
  }
}

function isExpensiveRoute({ cost }: Route, query: URLSearchParams): boolean {
  return cost === 'expensive' || (cost === 'expensive-dry-run' && query.has('dryRun'));
}

function noBody(): Promise<never> {
  throw new Error('a GET request has no body');
}
