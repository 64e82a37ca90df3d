import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import type { ShownCertificate } from './identity/client-certificate.ts';
import { bearerToken, isPodToken } from './identity/pod-token.ts';
import type { Principal } from './identity/principal.ts';
import { ownerPrincipal, principalOf } from './identity/principal-of.ts';
import { refuseForeignHosts, refuseForeignPages } from './limits/browser.ts';
import { RateLimit, type RateLimits } from './limits/rate-limit.ts';
import { checkRequest } from './proxy/check-request.ts';

/** A token that says it is a pod's, for us. Whether that is true, nobody has looked yet. */
export interface PodToken {
  is: 'pod-token';
  token: string;
}

export interface AdmitOptions {
  /** `proxy`: everybody who gets here asks as the program's owner, so hosts and pages are looked at. */
  mode: 'gateway' | 'proxy';
  limits: RateLimits;
  clock?: Clock;
}

/** Throws a StatusError for a request that goes nowhere; otherwise answers whose rights it is made with. */
export function admitRequest({ mode, limits, clock = systemClock }: AdmitOptions) {
  const rateLimit = new RateLimit(limits, clock);
  return (incoming: IncomingMessage): Principal | PodToken => {
    const { method = '', url = '', headers, rawHeaders, socket } = incoming;
    // First of all, because the other checks cost something, too.
    rateLimit.check(socket.remoteAddress ?? 'unknown', headers.authorization);
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
  };
}

function certificateOf({ socket }: IncomingMessage): ShownCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const shown = socket.getPeerCertificate();
  // Without one, Node answers an empty object; without having asked for one, too.
  if (shown?.subject === undefined) return undefined;
  const { CN, O = [] } = shown.subject as { CN?: string | string[]; O?: string | string[] };
  return {
    // Several common names: nobody can say which of them Kubernetes would take.
    commonName: typeof CN === 'string' ? CN : undefined,
    organizations: [O].flat(),
    isVerified: socket.authorized,
    validUntil: Date.parse(shown.valid_to),
  };
}
