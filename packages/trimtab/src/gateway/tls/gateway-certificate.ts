import { sharedAuthorities } from '@trimtab/kube/authority-store.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { CertificateKeeper } from '@trimtab/kube/tls/certificate-keeper.ts';
import { isAlreadyExists, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { authoritySecret, gatewayServiceName, trustConfigMap, trustKey } from '../manifests/installation.ts';

export interface GatewayCertificateOptions {
  client: KubeClient;
  /** Where its Secret and ConfigMap are. */
  homeNamespace: string;
  /** Names by which people reach it, beside those of its Service and of this machine. */
  hosts: readonly string[];
  clock: Clock;
  log: Logger;
}

/** People have copies of the authority in their kubeconfigs, and nobody tells them of a new one. */
const profile = { commonName: 'trimtab gateway', authorityLifeMs: 10 * 365 * 24 * 3_600_000 };

/** A certificate of an authority of the gateway's own, which all its replicas share. */
export function gatewayCertificate(options: GatewayCertificateOptions): CertificateKeeper {
  const { client, homeNamespace, hosts } = options;
  const secret = { namespace: homeNamespace, name: authoritySecret };
  const service = `${gatewayServiceName}.${homeNamespace}`;
  const own = [`${service}.svc`, `${service}.svc.cluster.local`, service, 'localhost', '127.0.0.1', '::1'];
  return new CertificateKeeper({
    ...options,
    commonName: profile.commonName,
    hosts: [...new Set([...own, ...hosts])],
    authorities: (now, signal) => sharedAuthorities(client, secret, profile, now, signal),
    publishTrust: (bundle, signal) => publishTrust(client, homeNamespace, bundle, signal),
  });
}

/** Where a person or a program finds what to trust: the Secret holds the key, which is nobody's business. */
async function publishTrust(
  client: KubeClient,
  namespace: string,
  bundle: string,
  signal: AbortSignal,
): Promise<string> {
  type Trust = KubeObject & { data?: Record<string, string> };
  const where = { namespace, name: trustConfigMap };
  const found = await client.get<Trust>(configMaps, where, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const before = found?.data?.[trustKey] ?? '';
  if (before === bundle) return before;
  const data = { ...found?.data, [trustKey]: bundle };
  if (found !== undefined) {
    // A conflict is thrown, and the next look sees what won.
    await client.update<Trust>(configMaps, { ...found, data }, { signal });
    return before;
  }
  const fresh: Trust = { apiVersion: 'v1', kind: 'ConfigMap', metadata: where, data };
  await client.create(configMaps, fresh, { signal }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  return before;
}
