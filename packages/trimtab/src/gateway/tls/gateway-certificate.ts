import { sharedAuthorities } from '@trimtab/kube/authority-store.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { CertificateManager } from '@trimtab/kube/tls/certificate-manager.ts';
import { isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { gatewayServiceName, gatewayTrust } from '../../api/names.ts';
import { authoritySecret } from '../manifests/installation.ts';

export interface GatewayCertificateOptions {
  client: KubeClient;
  /** Namespace of the Secret with the authority and of the ConfigMap with its certificate. */
  homeNamespace: string;
  /** Host names of the certificate, beside those of the Service and of localhost. */
  hosts: readonly string[];
  clock: Clock;
  log: Logger;
}

/** Kubeconfigs hold copies of the authority that are not updated, so the authority lives for a long time. */
const profile = { commonName: 'trimtab gateway', authorityLifeMs: 10 * 365 * 24 * 3_600_000 };

/** A certificate of the gateway's own authority, which all replicas share. */
export function gatewayCertificate(options: GatewayCertificateOptions): CertificateManager {
  const { client, homeNamespace, hosts } = options;
  const secret = { namespace: homeNamespace, name: authoritySecret };
  const service = `${gatewayServiceName}.${homeNamespace}`;
  const own = [`${service}.svc`, `${service}.svc.cluster.local`, service, 'localhost', '127.0.0.1', '::1'];
  return new CertificateManager({
    ...options,
    commonName: profile.commonName,
    hosts: [...new Set([...own, ...hosts])],
    authorities: (now, signal) => sharedAuthorities(client, secret, profile, now, signal),
    publishTrust: (bundle, signal) => publishTrust(client, homeNamespace, bundle, signal),
  });
}

/** Publishes the CA bundle in a ConfigMap for clients, because the Secret also holds the private key. */
async function publishTrust(
  client: KubeClient,
  namespace: string,
  bundle: string,
  signal: AbortSignal,
): Promise<string> {
  type Trust = KubeObject & { data?: Record<string, string> };
  const where = { namespace, name: gatewayTrust.configMap };
  const found = await getIfExists<Trust>(client, configMaps, where, { signal });
  const before = found?.data?.[gatewayTrust.key] ?? '';
  if (before === bundle) return before;
  const data = { ...found?.data, [gatewayTrust.key]: bundle };
  if (found !== undefined) {
    // A conflict is thrown; the next attempt reads the object again.
    await client.update<Trust>(configMaps, { ...found, data }, { signal });
    return before;
  }
  const fresh: Trust = { apiVersion: 'v1', kind: 'ConfigMap', metadata: where, data };
  await client.create(configMaps, fresh, { signal }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  return before;
}
