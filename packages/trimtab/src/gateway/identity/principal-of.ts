import { forbidden } from '../answer/status-error.ts';
import { type RawHeaders, withoutHopByHop } from '../proxy/hop-by-hop.ts';
import { certificatePrincipal, type ShownCertificate } from './client-certificate.ts';
import type { Principal } from './principal.ts';

export interface Credentials {
  rawHeaders: RawHeaders;
  /** Undefined when there is none, or nobody asked for one. */
  certificate: ShownCertificate | undefined;
}

/** Who a request is made as. A credential in the headers counts more than a certificate: it needs no help of ours. */
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
      `${asked} needs a credential of your own (Authorization): nobody else's rights are lent for it`,
    );
  return certificate === undefined
    ? { is: 'bearer', headers: {}, impersonation }
    : certificatePrincipal(certificate, now);
}

/** `trimtab proxy`: everybody who gets here is its owner, whatever else they say. */
export function ownerPrincipal({ rawHeaders }: Pick<Credentials, 'rawHeaders'>): Principal {
  const asked = rawHeaders.find((name, index) => index % 2 === 0 && /^impersonate-/i.test(name));
  if (asked === undefined) return { is: 'owner' };
  throw forbidden(`${asked} is not passed on: the kubeconfig that the proxy runs with says who you are`);
}
