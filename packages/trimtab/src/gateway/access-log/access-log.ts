import type { IncomingMessage } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { PodToken } from '../admit-request.ts';
import type { KnownUser } from '../identity/caller-names.ts';
import type { Principal } from '../identity/principal.ts';
import type { Caller } from '../request/gateway-request.ts';
import { isLogged, type Selection } from './is-logged.ts';
import { loggedCaller } from './logged-caller.ts';
import { loggedAgent, loggedTarget } from './logged-target.ts';
import type { RefusedLines } from './refused-lines.ts';

/** How a request ended. */
interface Ended {
  /** The route that served the request, as in the metrics. */
  route: string;
  /** 499 when the client disconnected before the response. */
  status: number;
  /** Undefined when the request was refused before its principal was known. */
  principal: Principal | PodToken | undefined;
  /** Undefined when the gateway did not need to know the caller. */
  caller: Caller | undefined;
  /** The names that the API server has reported, or will report soon. Never rejects. */
  user: KnownUser | Promise<KnownUser> | undefined;
  /** Whether the connection ended before the response did. For a watch, that is how clients end it. */
  isBroken: boolean;
  isStream: boolean;
}

/** Is called when a request begins, and returns the function to call when it has ended. */
export type AccessLog = (incoming: IncomingMessage) => (ended: Ended) => void;

export interface AccessLogOptions extends Selection {
  log: Logger;
  clock: Clock;
  addressOf(incoming: IncomingMessage): string;
  requestIdOf(incoming: IncomingMessage): string;
  refusedLines: RefusedLines;
  /** Defaults to Math.random. */
  random?: () => number;
}

export const noAccessLog: AccessLog = () => () => {};

/**
 * One line for each request. It names the caller, the path and the result, and contains no other header, no query that may
 * hold a value, and nothing of a body.
 */
export function accessLog(options: AccessLogOptions): AccessLog {
  const { mode, log, clock, addressOf, requestIdOf, refusedLines, random = Math.random } = options;
  if (mode === 'off') return noAccessLog;
  // The access log has its own flags and does not depend on the level of other messages.
  const lines = log.child({}, { level: 'info' });
  return (incoming) => {
    const { method, url = '', headers, socket } = incoming;
    const started = clock.monotonic();
    const written = socket.bytesWritten;
    return ({ route, status, principal, caller, user, isBroken, isStream }) => {
      const hasFailed = status >= 400 || (isBroken && !isStream);
      if (!isLogged(options, hasFailed, random())) return;
      const isRefused = route === 'refused' || principal === undefined;
      if (isRefused && !refusedLines.admit()) return;
      const fields = {
        ...{ method, route, ...loggedTarget(url), status },
        ms: Math.round((clock.monotonic() - started) * 10) / 10,
        bytes: socket.bytesWritten - written,
        ...(isBroken && { broken: true }),
      };
      const write = (known: KnownUser | undefined) =>
        lines.info(
          {
            ...fields,
            ...{ caller: loggedCaller(principal, caller, known), address: addressOf(incoming) },
            ...{ userAgent: loggedAgent(headers['user-agent']), requestId: requestIdOf(incoming) },
          },
          'request served',
        );
      if (user instanceof Promise) void user.then(write);
      else write(user);
    };
  };
}
