import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { Address } from '../engines/engine.ts';

/** A kubeconfig with the same access, as JSON, which is valid YAML. `at` replaces the address of the server. */
export async function kubeconfigText(access: ClusterAccess, at?: Address): Promise<string> {
  const tls = await access.tls();
  const headers = await access.headers();
  const server = at?.url ?? access.server;
  const authority = server.startsWith('https:') ? base64(at?.authority ?? tls.ca) : undefined;
  const bearer = headers['authorization']?.replace(/^Bearer /, '');
  const user = headers['impersonate-user'];
  const group = headers['impersonate-group'];
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: access.namespace } }],
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': authority } }],
    users: [
      {
        name: 'test',
        user: {
          'client-certificate-data': base64(tls.cert),
          'client-key-data': base64(tls.key),
          token: bearer,
          as: user,
          'as-groups': group === undefined ? undefined : [group],
        },
      },
    ],
  });
}

function base64(material: string | Buffer | undefined): string | undefined {
  return material === undefined ? undefined : Buffer.from(material).toString('base64');
}
