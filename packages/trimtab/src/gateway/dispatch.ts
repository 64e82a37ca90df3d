import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { Refusal } from '../versions/refusal.ts';
import type { AccessLog } from './access-log/access-log.ts';
import type { Admission, PodToken } from './admit-request.ts';
import { onClose } from './answer/on-close.ts';
import { forbidden, fromUpstream, StatusError } from './answer/status-error.ts';
import { writeRefusal } from './answer/write-answer.ts';
import { authenticate, isAnonymous } from './identity/authenticate.ts';
import type { CallerNames, KnownUser } from './identity/caller-names.ts';
import type { Principal } from './identity/principal.ts';
import type { ConcurrencyLimit } from './limits/concurrency-limit.ts';
import type { UnreadAnswers } from './limits/unread-answers.ts';
import type { UnsentAccount, UnsentBudget } from './limits/unsent-budget.ts';
import { isLongRunning } from './proxy/long-running.ts';
import type { Caller } from './request/gateway-request.ts';
import type { GatewayMetrics } from './request-metrics.ts';
import { explainForbidden } from './route/explain-forbidden.ts';
import type { RouteTable } from './route/match.ts';
import { refuseMisplacedPurge } from './route/misplaced-purge.ts';
import { type ServeOptions, serveRoute } from './serve-route.ts';
import { failureCode } from './upstream/failed-calls.ts';

export interface DispatchOptions {
  routes: RouteTable;
  /** Returns who sends a request. Throws a Refusal for a request that is refused. */
  admit(incoming: IncomingMessage): Admission;
  inFlight: ConcurrencyLimit;
  streams: ConcurrencyLimit;
  unread: UnreadAnswers;
  /** Memory for responses of the gateway's own routes. */
  unsent: UnsentBudget;
  /** Limits of the gateway's own routes. */
  serving: ServeOptions;
  /** Returns the caller of one of the gateway's own routes. Throws a Refusal for an unknown caller. */
  identify(admission: Admission, request: IdentifiedRequest): Promise<Caller>;
  /** The user names for the access log; absent when that is off. */
  names?: CallerNames;
  /** Proxies a request unchanged to the API server. `body` is the request's body if it has been read already. */
  pass(
    principal: Principal,
    incoming: IncomingMessage,
    response: ServerResponse,
    body?: Buffer,
  ): Promise<void>;
  /** Aborts with a StatusError when the gateway shuts down. */
  stopping: AbortSignal;
  metrics: GatewayMetrics;
  accessLog: AccessLog;
  /** Counts an API call of one of the gateway's own routes that got no complete response, or one with a 5xx. */
  upstreamFailed(route: string, code: string): void;
  log: Logger;
  clock?: Clock;
}

/** What the API calls of a caller concern. */
interface IdentifiedRequest {
  incoming: IncomingMessage;
  signal: AbortSignal;
  /** Memory for the responses to these calls and to the request. */
  unsent: UnsentAccount;
  /** Called for each API call of the caller that fails because of the API server. */
  failed(code: string): void;
}

/** Serves one request: with one of the gateway's own routes, or by proxying it to the API server. */
export async function dispatch(
  options: DispatchOptions,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { clock = systemClock, metrics } = options;
  const { method = '', url = '' } = incoming;
  const started = clock.monotonic();
  let answeredBy = 'refused';
  let principal: Principal | PodToken | undefined;
  let caller: Caller | undefined;
  let user: Promise<KnownUser> | undefined;
  let isPassed = false;
  let isStream = false;
  const ended = options.accessLog(incoming);
  // Each layer that serves a request listens for its end. With more than 10 listeners, Node would warn of a leak.
  response.setMaxListeners(20);
  response.once('close', () => {
    const tookMs = isStream ? undefined : clock.monotonic() - started;
    const status = response.headersSent ? response.statusCode : 499;
    metrics.answered(answeredBy, method, status, tookMs);
    const isBroken = !response.writableFinished;
    const known = user ?? knownUser(options.names, principal);
    ended({ route: answeredBy, status, principal, caller, user: known, isBroken, isStream });
  });
  try {
    const admission = options.admit(incoming);
    const { principal: admitted, address, credential } = admission;
    principal = admitted;
    const { path, query } = target(url);
    const match = options.routes.find(method, path);
    if (match === undefined) refuseMisplacedPurge(method, path, query);
    isStream =
      match === undefined
        ? isLongRunning(method, url)
        : method === 'GET' && match.route.isStream?.(query) === true;
    response.once('close', (isStream ? options.streams : options.inFlight).enter(address, credential));
    // The reader of a stream may pause, as a pager does. What it holds is limited by the number of streams.
    if (!isStream) options.unread.watch(response);
    answeredBy = match?.route.document.operationId ?? 'pass-through';
    isPassed = match === undefined || (match.route.withoutCredentials === 'pass' && isAnonymous(admitted));
    if (match === undefined || isPassed)
      return await options.pass(refusePodToken(admitted), incoming, response);
    const signal = signalFor(response, isStream ? options.stopping : undefined);
    const failed = (code: string) => options.upstreamFailed(answeredBy, code);
    const unsent = options.unsent.open(credential ?? `address ${address}`, address);
    onClose(response, () => unsent.close());
    const identified = await options.identify(admission, { incoming, signal, unsent, failed });
    caller = identified;
    // The client may have left meanwhile, and the review of its token does not take the signal.
    signal.throwIfAborted();
    // Beside the request, which it does not delay.
    if (admitted.is === 'bearer' && !isAnonymous(admitted)) user = options.names?.ask(admitted, incoming);
    const handled = await serveRoute(options.serving, {
      ...{ match, query, caller, signal, incoming, response, unsent, failed },
      authenticate: () => authenticate(admitted, identified, match.route.method),
    }).catch(async (error: unknown) => {
      throw await explainForbidden(error, match.route, identified, match.parameters);
    });
    if (handled === 'answered') return;
    isPassed = true;
    const body = handled.pass === 'unread' ? undefined : handled.pass;
    await options.pass(refusePodToken(admitted), incoming, response, body);
  } catch (error) {
    // The client of a person reports its failures itself.
    const code = isPassed || caller?.is === 'person' ? undefined : failureCode(error);
    if (code !== undefined) options.upstreamFailed(answeredBy, code);
    // A route that has written before it passes the request on decides what an error may claim.
    const hasWritten = caller?.is === 'person' && caller.mayHaveWritten();
    refuse(options, response, error, effectOf(method, isPassed && !hasWritten ? undefined : caller));
  }
}

/** What is known without a request to the API server. */
export function knownUser(
  names: CallerNames | undefined,
  principal: Principal | PodToken | undefined,
): KnownUser | undefined {
  return principal?.is === 'bearer' ? names?.known(principal) : undefined;
}

/** Pod tokens are valid only for reads of the current version of the pod's own configs; they are never proxied. */
export function refusePodToken(principal: Principal | PodToken): Principal {
  if (principal.is !== 'pod-token') return principal;
  throw forbidden('a pod token may only read the current version of the configs that the pod references');
}

export function refuse(
  { log, stopping, clock = systemClock }: Pick<DispatchOptions, 'log' | 'stopping' | 'clock'>,
  response: ServerResponse,
  error: unknown,
  mayHaveChanged?: boolean,
): void {
  if (response.destroyed || response.writableEnded) return;
  const known = error instanceof Refusal ? error : fromUpstream(error, mayHaveChanged);
  if (known === undefined) log.error({ err: error }, 'request failed');
  if (!response.headersSent)
    writeRefusal(
      response,
      known ?? new StatusError(500, 'InternalError', 'internal error in the gateway; see the gateway log'),
      clock,
    );
  // A stream that ends because the gateway shuts down is complete.
  else if (error === stopping.reason) response.end();
  else response.destroy();
}

/** Whether the request may have changed something. Undefined for a proxied request: the failed call decides. */
function effectOf(method: string, caller: Caller | undefined): boolean | undefined {
  if (method === 'GET' || method === 'HEAD') return false;
  return caller?.is === 'person' ? caller.mayHaveWritten() : undefined;
}

/** Aborts when the client disconnects; the signal of a stream also aborts when the gateway shuts down. */
function signalFor(response: ServerResponse, stopping: AbortSignal | undefined): AbortSignal {
  const controller = new AbortController();
  const onStop = () => controller.abort(stopping?.reason);
  stopping?.addEventListener('abort', onStop);
  if (stopping?.aborted) onStop();
  response.once('close', () => {
    stopping?.removeEventListener('abort', onStop);
    controller.abort(new Error('the client disconnected'));
  });
  return controller.signal;
}

function target(url: string): { path: string; query: URLSearchParams } {
  const mark = url.indexOf('?');
  if (mark < 0) return { path: url, query: new URLSearchParams() };
  return { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}
