import type { IncomingMessage } from 'node:http';
import type { Principal } from './principal.ts';

/** Who sent a request, as the API server has reported it. */
export interface KnownUser {
  name?: string;
  /** The user whose credentials the request has, when it impersonates another one. */
  impersonator?: string;
}

/** The user names of callers for the access log. */
export interface CallerNames {
  /** Asks the API server, unless its answer is cached. Never rejects. */
  ask(principal: Principal, incoming: IncomingMessage): Promise<KnownUser>;
  /** What is cached; asks no one. */
  known(principal: Principal): KnownUser;
}

interface Usernames {
  (principal: Principal, review: () => Promise<string>): Promise<string>;
  known(principal: Principal): string | undefined;
}

/** `review` asks the API server with the credentials of the principal, on behalf of a request. */
export function callerNames(
  usernames: Usernames,
  review: (principal: Principal, incoming: IncomingMessage) => Promise<string>,
): CallerNames {
  const known = (principal: Principal): KnownUser => {
    const name = usernames.known(principal);
    const impersonating = impersonatorOf(principal);
    const impersonator = impersonating && usernames.known(impersonating);
    return { ...(name && { name }), ...(impersonator && { impersonator }) };
  };
  return {
    known,
    async ask(principal, incoming) {
      const asked = [principal, impersonatorOf(principal)].filter((each) => each !== undefined);
      await Promise.allSettled(asked.map((each) => usernames(each, () => review(each, incoming))));
      return known(principal);
    },
  };
}

/** The caller without the impersonation. */
function impersonatorOf(principal: Principal): Principal | undefined {
  if (principal.is !== 'bearer' || Object.keys(principal.impersonation).length === 0) return undefined;
  return { ...principal, impersonation: {} };
}
