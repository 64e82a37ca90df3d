import { shortened } from '../../core/messages/quoted.ts';
import { forbidden } from '../answer/status-error.ts';
import { type RawHeaders, withoutHopByHop } from '../proxy/hop-by-hop.ts';
import { certificatePrincipal, type PresentedCertificate } from './client-certificate.ts';
import type { Principal } from './principal.ts';

export interface Credentials {
  rawHeaders: RawHeaders;
  /** Undefined when the client sent none or client certificates are disabled. */
  certificate: PresentedCertificate | undefined;
}

/**
 * Returns the principal of a request. A credential in the headers takes precedence over a client certificate, because
 * it needs no impersonation by the gateway.
 */
export function principalOf({ rawHeaders, certificate }: Credentials, now: number): Principal {
  const passing = withoutHopByHop(rawHeaders).map(([name, value]) => [name.toLowerCase(), value] as const);
  const authorization = passing.find(([name]) => name === 'authorization')?.[1];
  const impersonation: Record<string, string[]> = {};
  for (const [name, value] of passing) {
    if (!name.startsWith('impersonate-')) continue;
    impersonation[name] = [...(impersonation[name] ?? []), value];
  }
  if (authorization !== undefined) return { is: 'bearer', headers: { authorization }, impersonation };
  const [asked] = Object.keys(impersonation);
  if (asked !== undefined)
    throw forbidden(
      `the header ${shortened(asked)} requires an Authorization header: impersonation needs the caller's own credentials`,
    );
  return certificate === undefined
    ? { is: 'bearer', headers: {}, impersonation }
    : certificatePrincipal(certificate, now);
}

/** `trimtab proxy`: every request runs with the rights of the kubeconfig's user and ignores other credentials. */
export function ownerPrincipal({ rawHeaders }: Pick<Credentials, 'rawHeaders'>): Principal {
  const asked = rawHeaders.find((name, index) => index % 2 === 0 && /^impersonate-/i.test(name));
  if (asked === undefined) return { is: 'owner' };
  throw forbidden(
    `the header ${shortened(asked)} is not allowed: the proxy always uses the user of its kubeconfig`,
  );
}
