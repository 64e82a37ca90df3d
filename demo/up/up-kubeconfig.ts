import { stringify } from 'yaml';

interface Server {
  url: string;
  /** PEM. */
  authority: string;
}

const contexts = { api: 'trimtab', gateway: 'trimtab-gateway' } as const;

/** One context for the API server and one for the gateway. Both use the same token, which the gateway passes on. */
export function upKubeconfig({
  api,
  gateway,
  token,
}: {
  api: Server;
  gateway: Server;
  token: string;
}): string {
  const user = 'kubernetes-admin';
  const servers = [
    { name: contexts.api, server: api },
    { name: contexts.gateway, server: gateway },
  ];
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: servers.map(({ name, server }) => ({
      name,
      cluster: {
        server: server.url,
        'certificate-authority-data': Buffer.from(server.authority).toString('base64'),
      },
    })),
    users: [{ name: user, user: { token } }],
    contexts: servers.map(({ name }) => ({ name, context: { cluster: name, user, namespace: 'default' } })),
    'current-context': contexts.api,
  });
}
