import type { PodToken } from '../admit-request.ts';
import type { KnownUser } from '../identity/caller-names.ts';
import type { Principal } from '../identity/principal.ts';
import type { Caller } from '../request/gateway-request.ts';

/** Who sent a request, as far as the gateway knows. */
export interface LoggedCaller {
  /** `unverified` sent a credential that only the API server has verified, or nobody. */
  is: 'user' | 'pod' | 'certificate' | 'owner' | 'anonymous' | 'unverified';
  /** The user name, the common name of the certificate, or namespace and name of the pod. */
  name?: string;
  /** The user whose credentials the request has, when it impersonates another one. */
  impersonator?: string;
}

const maxNameLength = 256;

/** Names only what the API server or a verified certificate says. Claims of a token are not verified. */
export function loggedCaller(
  principal: Principal | PodToken | undefined,
  caller: Caller | undefined,
  user: KnownUser = {},
): LoggedCaller {
  if (caller?.is === 'pod') return { is: 'pod', name: `${caller.namespace}/${caller.name}` };
  if (principal?.is === 'certificate') return { is: 'certificate', name: printable(principal.user) };
  if (principal?.is === 'owner') return { is: 'owner' };
  const impersonating = user.impersonator && { impersonator: printable(user.impersonator) };
  const name = user.name ?? caller?.knownUsername();
  if (name) return { is: 'user', name: printable(name), ...impersonating };
  const isAnonymous = principal?.is === 'bearer' && principal.headers['authorization'] === undefined;
  return { is: isAnonymous ? 'anonymous' : 'unverified', ...impersonating };
}

/** A name may contain any character of any script, but none that changes how the line is displayed. */
function printable(name: string): string {
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?').slice(0, maxNameLength);
}
