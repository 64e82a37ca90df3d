import type { Flag, ParsedFlags } from '../flags/flags.ts';
import type { LoadAccessOptions } from './load-access.ts';

/** kubectl's flags for the cluster and the user, with the same names and meanings. */
export const accessFlags = {
  kubeconfig: {
    type: 'string',
    env: 'KUBECONFIG',
    placeholder: 'FILE',
    help: "Kubeconfig of the cluster and the user. Defaults to kubectl's kubeconfig, or to the service account in a pod.",
  },
  context: {
    type: 'string',
    placeholder: 'NAME',
    completes: 'context',
    help: 'Context of the kubeconfig. Defaults to its current context.',
  },
  cluster: {
    type: 'string',
    placeholder: 'NAME',
    completes: 'cluster',
    help: 'Cluster of the kubeconfig. Defaults to the cluster of the context.',
  },
  user: {
    type: 'string',
    placeholder: 'NAME',
    completes: 'user',
    help: 'User of the kubeconfig. Defaults to the user of the context.',
  },
  server: {
    type: 'string',
    short: 's',
    placeholder: 'URL',
    help: 'URL of the API server, such as https://10.0.0.1:6443. With an http URL, no credentials are sent.',
  },
  token: { type: 'string', secret: true, help: 'Bearer token for the API server.' },
  certificateAuthority: {
    type: 'string',
    placeholder: 'FILE',
    help: 'Certificates of the authorities that the certificate of the API server is verified against.',
  },
  clientCertificate: { type: 'string', placeholder: 'FILE', help: 'Client certificate for the API server.' },
  clientKey: { type: 'string', placeholder: 'FILE', help: 'Private key of the client certificate.' },
  insecureSkipTlsVerify: {
    type: 'boolean',
    help: 'Do not verify the certificate of the API server. Connections are then not secure.',
  },
  tlsServerName: {
    type: 'string',
    placeholder: 'NAME',
    help: 'Name that the certificate of the API server must have. Defaults to the host of the server.',
  },
  as: { type: 'string', placeholder: 'USER', help: 'User or service account to impersonate.' },
  asGroup: { type: 'list', placeholder: 'GROUP', help: 'Group to impersonate; may be repeated.' },
  username: { type: 'string', placeholder: 'NAME', help: 'Username for basic authentication.' },
  password: { type: 'string', secret: true, help: 'Password for basic authentication.' },
} as const satisfies Record<keyof LoadAccessOptions, Flag>;

/** Returns only the options that are set, because each replaces a part of the kubeconfig. */
export function accessOptions(flags: ParsedFlags<typeof accessFlags>): LoadAccessOptions {
  const keys = Object.keys(accessFlags) as (keyof typeof accessFlags)[];
  return Object.fromEntries(
    keys.map((key) => [key, flags[key]] as const).filter(([, value]) => isSet(value)),
  );
}

function isSet(value: string | boolean | string[] | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}
