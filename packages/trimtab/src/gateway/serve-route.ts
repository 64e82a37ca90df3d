import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';
import { onClose } from './answer/on-close.ts';
import { requirePerson } from './identity/require-person.ts';
import type { BodyBudget } from './limits/body-budget.ts';
import type { CallerSlots } from './limits/caller-slots.ts';
import type { Turns } from './limits/turns.ts';
import type { UnsentAccount } from './limits/unsent-budget.ts';
import type { BodyFormat } from './request/content-type.ts';
import type { Caller } from './request/gateway-request.ts';
import { readBody } from './request/read-body.ts';
import type { Match } from './route/match.ts';
import type { Handled, Route } from './route/route.ts';

/** Parsing a larger body may take more than 1 ms, so it waits for a turn to use the CPU. YAML takes about 30 times as long as JSON. */
const smallBodyBytes: Record<BodyFormat, number> = { json: 16 * 1024, yaml: 512 };

export interface ServeOptions {
  budget: BodyBudget;
  slots: CallerSlots;
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
  /** See GatewayRequest. */
  failed(code: string): void;
  unsent: UnsentAccount;
}

/** Serves a request with one of the gateway's own routes. The caller is authenticated before a body is read. */
export async function serveRoute(
  { budget, slots, turns, clock }: ServeOptions,
  { match, authenticate, ...request }: RouteRequest,
): Promise<Handled> {
  const { route, parameters } = match;
  if (route.servesPods !== true && route.document.isPublic !== true) requirePerson(request.caller);
  const { query, signal, incoming, response } = request;
  const turn = async () => turns.take(await authenticate(), signal);
  const hasBody = route.method !== 'GET';
  if (!hasBody && !isExpensive(route, query))
    return route.handle({ ...request, parameters, readBody: noBody, turn });
  const caller = await authenticate();
  signal.throwIfAborted();
  if (hasBody) request.unsent.admitWrite();
  const leave = isExpensive(route, query) ? await slots.take(caller, signal) : () => {};
  const account = budget.open(caller);
  onClose(response, () => account.close());
  const sentFormat = /\byaml\b/i.test(incoming.headers['content-type'] ?? '') ? 'yaml' : 'json';
  try {
    // The client may have left when it got its slot.
    signal.throwIfAborted();
    return await route.handle({
      ...{ ...request, parameters, turn },
      async readBody(limit, format = sentFormat) {
        if (!hasBody) return noBody();
        const body = await readBody(incoming, { clock, limit, charge: (bytes) => account.charge(bytes) });
        if (body.length > smallBodyBytes[format]) await turns.take(caller, signal);
        return body;
      },
    });
  } catch (error) {
    account.close();
    throw error;
  } finally {
    leave();
  }
}

function isExpensive({ cost }: Route, query: URLSearchParams): boolean {
  if (cost === 'expensive-dry-run') return isDryRun(query);
  return cost === 'expensive' || (cost === 'expensive-purge' && query.has('purge'));
}

/** An empty value is no dry run: such a request may wait for its activation, and must not keep a slot for so long. */
function isDryRun(query: URLSearchParams): boolean {
  return query.getAll('dryRun').some((value) => value !== '');
}

function noBody(): Promise<never> {
  throw new Error('a GET request has no body');
}
