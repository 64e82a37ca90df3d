import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { addressBlock } from '@trimtab/kube/limits/address-block.ts';
import { canonicalCredential } from './identity/canonical-credential.ts';
import type { PresentedCertificate } from './identity/client-certificate.ts';
import { fingerprint } from './identity/fingerprint.ts';
import { bearerToken, isPodToken } from './identity/pod-token.ts';
import type { Principal } from './identity/principal.ts';
import { ownerPrincipal, principalOf } from './identity/principal-of.ts';
import { refuseForeignHosts, refuseForeignPages } from './limits/browser.ts';
import { RateLimit, type RateLimits } from './limits/rate-limit.ts';
import { checkRequest } from './proxy/check-request.ts';

/** A bearer token whose audience claim names the gateway. The token is not verified yet. */
export interface PodToken {
  is: 'pod-token';
  token: string;
}

export interface AdmitOptions {
  /** In `proxy` mode requests run with the rights of the user who started it, so Host and Origin are checked. */
  mode: 'gateway' | 'proxy';
  limits: RateLimits;
  /** The address of the client, which may be behind a trusted proxy. */
  addressOf(incoming: IncomingMessage): string;
  clock?: Clock;
}

/** Who sends a request, for its rights and for the limits. */
export interface Admission {
  principal: Principal | PodToken;
  /** Address of the client, or its block of IPv6 addresses. */
  address: string;
  /** Hash of the credential, equal for all its spellings; undefined when there is none. It is not verified yet. */
  credential: string | undefined;
}

/** Throws a Refusal for a request that is refused. */
export function admitRequest({ mode, limits, addressOf, clock = systemClock }: AdmitOptions) {
  const rateLimit = new RateLimit(limits, clock);
  return (incoming: IncomingMessage): Admission => {
    const address = addressBlock(addressOf(incoming));
    const { authorization } = incoming.headers;
    const credential =
      authorization === undefined ? undefined : fingerprint(canonicalCredential(authorization));
    // The rate limit comes first because the other checks cost CPU time.
    rateLimit.check(address, credential);
    const principal = principalOfRequest(incoming);
    if (principal.is !== 'certificate') return { principal, address, credential };
    return { principal, address, credential: fingerprint(JSON.stringify(principal)) };
  };

  function principalOfRequest(incoming: IncomingMessage): Principal | PodToken {
    const { method = '', url = '', headers, rawHeaders } = incoming;
    checkRequest({ method, url, headers, rawHeaders });
    if (mode === 'proxy') {
      refuseForeignHosts(headers);
      refuseForeignPages(headers);
      return ownerPrincipal({ rawHeaders });
    }
    const token = bearerToken(headers.authorization);
    if (token !== undefined && isPodToken(token)) return { is: 'pod-token', token };
    const principal = principalOf({ rawHeaders, certificate: certificateOf(incoming) }, clock.now());
    if (principal.is === 'certificate') refuseForeignPages(headers);
    return principal;
  }
}

function certificateOf({ socket }: IncomingMessage): PresentedCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const shown = socket.getPeerCertificate();
  // Node returns an empty object when the client sent no certificate or none was requested.
  if (shown?.subject === undefined) return undefined;
  const { CN, O = [] } = shown.subject as { CN?: string | string[]; O?: string | string[] };
  return {
    // With several common names it is undefined which one Kubernetes would use.
    commonName: typeof CN === 'string' ? CN : undefined,
    organizations: [O].flat(),
    isVerified: socket.authorized,
    validUntil: Date.parse(shown.valid_to),
  };
}
