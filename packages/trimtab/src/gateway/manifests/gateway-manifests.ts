import type { KubeObject } from '@trimtab/kube/wire.ts';
import { ownLabels, systemNamespace } from '../../api/names.ts';
import { type Rule, roleAndBinding, rule } from '../../core/installation/rights.ts';
import { gatewayClusterRights, gatewayRights } from '../rights.ts';
import {
  authoritySecret,
  type GatewayManifestOptions,
  gatewayAccount,
  gatewayContainerPort,
  gatewayServiceName,
  trustConfigMap,
} from './installation.ts';

/**
 * What a cluster needs before the gateway starts: who it is, the least that it may, and the way to it. People are
 * never served with these rights, but with their own.
 */
export function gatewayManifests({
  namespace,
  secrets = true,
  clientCertificates = false,
}: GatewayManifestOptions): KubeObject[] {
  const prefix = namespace === undefined ? gatewayAccount : `${gatewayAccount}-${namespace}`;
  const component = { ...ownLabels, 'app.kubernetes.io/component': 'gateway' };
  const metadata = { namespace: systemNamespace, labels: component };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: gatewayAccount, ...metadata } },
    ...roleAndBinding(gatewayAccount, prefix, gatewayRights({ secrets }), namespace),
    ...roleAndBinding(gatewayAccount, `${prefix}-own`, ownObjects(), systemNamespace),
    ...roleAndBinding(gatewayAccount, `${prefix}-who`, identityRules(clientCertificates)),
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

/** In its own namespace. A name can't restrict `create`: the object has none yet when that is asked. */
function ownObjects(): Rule[] {
  return [
    rule('', ['secrets', 'configmaps'], ['create']),
    rule('', ['secrets'], ['get', 'update'], [authoritySecret]),
    rule('', ['configmaps'], ['get', 'update'], [trustConfigMap]),
  ];
}

/** Who shows a token; and, only where certificates were asked for, to say who somebody is. */
function identityRules(clientCertificates: boolean): Rule[] {
  return [
    ...gatewayClusterRights,
    ...(clientCertificates ? [rule('', ['users', 'groups'], ['impersonate'])] : []),
  ];
}
