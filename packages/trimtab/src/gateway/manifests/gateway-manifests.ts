import type { KubeObject } from '@trimtab/kube/wire.ts';
import { gatewayServiceName, gatewayTrust, ownLabels, systemNamespace } from '../../api/names.ts';
import { installationSuffix } from '../../core/installation/installation-scope.ts';
import { type Rule, roleAndBinding, rule } from '../../core/installation/rights.ts';
import { gatewayClusterRights, gatewayRights } from '../rights.ts';
import {
  authoritySecret,
  type GatewayManifestOptions,
  gatewayAccount,
  gatewayContainerPort,
} from './installation.ts';

/**
 * The objects that a cluster needs before the gateway starts: its ServiceAccount, its minimal permissions and its
 * Service. Requests of persons never use these permissions, only their own.
 */
export function gatewayManifests({
  namespaces,
  homeNamespace = systemNamespace,
  secrets = true,
  clientCertificates = false,
}: GatewayManifestOptions): KubeObject[] {
  const prefix = `${gatewayAccount}${installationSuffix({ ...(namespaces && { namespaces }), homeNamespace })}`;
  const account = { name: gatewayAccount, namespace: homeNamespace };
  const component = { ...ownLabels, 'app.kubernetes.io/component': 'gateway' };
  const metadata = { namespace: homeNamespace, labels: component };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: gatewayAccount, ...metadata } },
    ...roleAndBinding(account, prefix, gatewayRights({ secrets }), namespaces),
    ...roleAndBinding(account, `${prefix}-own`, ownObjects(), [homeNamespace]),
    ...roleAndBinding(account, `${prefix}-who`, identityRules(clientCertificates)),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: gatewayServiceName, ...metadata },
      spec: {
        selector: component,
        ports: [{ name: 'https', port: 443, targetPort: gatewayContainerPort }],
      },
    } as KubeObject,
  ];
}

/** In its own namespace. RBAC cannot restrict `create` by name: the name is unknown when the request is authorized. */
function ownObjects(): Rule[] {
  return [
    rule('', ['secrets', 'configmaps'], ['create']),
    rule('', ['secrets'], ['get', 'update'], [authoritySecret]),
    rule('', ['configmaps'], ['get', 'update'], [gatewayTrust.configMap]),
  ];
}

/** TokenReviews identify pods. Impersonation is granted only when client certificates are accepted. */
function identityRules(clientCertificates: boolean): Rule[] {
  return [
    ...gatewayClusterRights,
    ...(clientCertificates ? [rule('', ['users', 'groups'], ['impersonate'])] : []),
  ];
}
