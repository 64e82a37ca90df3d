import type { Clock } from '@trimtab/kube/clock.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import type { PodToken } from '../admit-request.ts';
import type { Caller } from '../request/gateway-request.ts';
import type { Route } from '../route/route.ts';
import { canonicalPrincipal, readToken } from './canonical-credential.ts';
import { fingerprint } from './fingerprint.ts';
import { expiryOf } from './pod-token.ts';
import type { Principal } from './principal.ts';
import { ReviewCache } from './review-cache.ts';

const maxReviews = 10_000;
const acceptedMs = 10_000;
const refusedMs = 3_000;
const reviewTimeoutMs = 10_000;

/**
 * Returns the user name of a caller with a bearer token, as the API server reports it. `review` asks the API server; its
 * answer is cached for a short time, so that a burst of requests costs one review. The answer grants nothing by itself:
 * each API call uses the caller's own credentials.
 */
export function usernames(clock: Clock) {
  const reviews = new ReviewCache<string>({
    ...{ clock, maxReviews, acceptedMs, refusedMs, pendingMs: reviewTimeoutMs },
    isRefusal: (error) => error instanceof ApiError && (error.status === 401 || error.status === 403),
  });
  const read = (principal: Principal, review: () => Promise<string>): Promise<string> => {
    const { authorization = '' } = principal.is === 'bearer' ? principal.headers : {};
    const token = readToken(authorization);
    const expiry = token === undefined ? undefined : expiryOf(token);
    return reviews.get(keyOf(principal), expiry, review);
  };
  /** The user name of an accepted review that is cached. */
  const known = (principal: Principal) => reviews.known(keyOf(principal));
  return Object.assign(read, { known });
}

function keyOf(principal: Principal): string {
  return fingerprint(JSON.stringify(canonicalPrincipal(principal)));
}

/** Whether a request has no credentials at all. */
export function isAnonymous(principal: Principal | PodToken): boolean {
  return principal.is === 'bearer' && principal.headers['authorization'] === undefined;
}

/**
 * Authenticates a caller and returns what identifies it for the limits. Throws the API server's refusal. Client
 * certificates are verified by the gateway itself, and pod tokens before there is a caller. Reads without credentials
 * share an identity, and the API server decides about each.
 */
export async function authenticate(
  principal: Principal | PodToken,
  caller: Caller,
  method: Route['method'],
): Promise<string> {
  if (method === 'GET' && isAnonymous(principal)) return 'anonymous';
  if (caller.is === 'pod') return `pod ${caller.uid}`;
  if (principal.is === 'owner') return 'owner';
  if (principal.is === 'certificate') return `user ${principal.user}`;
  return `user ${await caller.username()}`;
}
