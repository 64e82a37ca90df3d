import { unusable } from './unusable.ts';

/** Values of kubectl's flags that replace fields of the cluster. */
export interface ClusterOverrides {
  /** URL of the API server. Then no kubeconfig is required. With an http URL, credentials are not sent. */
  server?: string;
  /** File with the certificates that the API server is verified against. */
  certificateAuthority?: string;
  insecureSkipTlsVerify?: boolean;
  /** Name in the certificate of the API server. Defaults to the host of the server. */
  tlsServerName?: string;
}

/** Replaces fields of the `cluster` of a kubeconfig entry as client-go does with its ConfigOverrides. */
export function overrideCluster(
  cluster: Record<string, unknown>,
  { server, certificateAuthority, insecureSkipTlsVerify = false, tlsServerName }: ClusterOverrides,
): Record<string, unknown> {
  if (server !== undefined && !isHttpUrl(server))
    throw unusable('The value of --server is not an http or https URL such as https://10.0.0.1:6443.');
  if (insecureSkipTlsVerify && certificateAuthority !== undefined)
    throw unusable(
      '--insecure-skip-tls-verify and --certificate-authority exclude each other: remove one of them.',
    );
  return {
    ...cluster,
    ...(server !== undefined && { server }),
    ...((insecureSkipTlsVerify || certificateAuthority !== undefined) && {
      'insecure-skip-tls-verify': insecureSkipTlsVerify,
      'certificate-authority': certificateAuthority,
      'certificate-authority-data': undefined,
    }),
    // The tls-server-name of the kubeconfig belongs to the server of the kubeconfig.
    ...((tlsServerName ?? server) !== undefined && { 'tls-server-name': tlsServerName }),
  };
}

export function isHttpUrl(server: string): boolean {
  return /^https?:\/\//.test(server) && URL.canParse(server);
}
