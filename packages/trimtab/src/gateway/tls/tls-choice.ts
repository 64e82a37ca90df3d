import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { isLoopback } from '@trimtab/kube/http/loopback.ts';

/** Where the gateway's certificate comes from. */
export type TlsChoice =
  /** An authority of its own, kept in the home namespace; `hosts` are further names of the certificate. */
  | { from: 'own authority'; hosts: readonly string[] }
  | { from: 'files'; certificate: string; key: string }
  | { from: 'nowhere' };

export interface TlsFlags {
  host: string;
  tls: boolean;
  tlsHost: readonly string[];
  tlsCertificate: string | undefined;
  tlsKey: string | undefined;
  clientCa: string | undefined;
}

/** Throws a OperationalError ConfigInvalid for what does not go together, or would show tokens to everybody. */
export function tlsChoice(flags: TlsFlags): TlsChoice {
  const { host, tlsCertificate: certificate, tlsKey: key } = flags;
  if ((certificate === undefined) !== (key === undefined))
    throw invalid('--tls-certificate and --tls-key go together: one of them is missing');
  if (!flags.tls) {
    if (!isLoopback(host))
      throw invalid(
        `without TLS, tokens could be read on their way: --no-tls goes with a --host of this machine only (127.0.0.1), not with ${host}`,
      );
    if (flags.clientCa !== undefined)
      throw invalid('client certificates need TLS: --client-ca does not go with --no-tls');
    return { from: 'nowhere' };
  }
  return certificate === undefined || key === undefined
    ? { from: 'own authority', hosts: flags.tlsHost }
    : { from: 'files', certificate, key };
}

function invalid(problem: string): OperationalError {
  return new OperationalError(errors.ConfigInvalid, `trimtab gateway: ${problem}`);
}
