import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { isLoopback } from '@trimtab/kube/http/loopback.ts';

/** Where the gateway's certificate comes from. */
export type TlsChoice =
  /** The gateway's own authority, kept in the home namespace; `hosts` are additional names of the certificate. */
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

/** Throws an OperationalError ConfigInvalid for flags that conflict or would expose tokens on the network. */
export function tlsChoice(flags: TlsFlags): TlsChoice {
  const { host, tlsCertificate: certificate, tlsKey: key } = flags;
  if ((certificate === undefined) !== (key === undefined))
    throw invalid('--tls-certificate and --tls-key must be set together');
  if (!flags.tls) {
    if (!isLoopback(host))
      throw invalid(
        `--no-tls is not allowed with --host ${host} because tokens could be read on the network; use a loopback address such as 127.0.0.1`,
      );
    if (flags.clientCa !== undefined)
      throw invalid('client certificates require TLS: --client-ca cannot be used with --no-tls');
    return { from: 'nowhere' };
  }
  return certificate === undefined || key === undefined
    ? { from: 'own authority', hosts: flags.tlsHost }
    : { from: 'files', certificate, key };
}

function invalid(problem: string): OperationalError {
  return new OperationalError(errors.ConfigInvalid, `trimtab gateway: ${problem}`);
}
