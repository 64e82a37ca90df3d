import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { withClientAuthority } from '@trimtab/kube/tls/client-authority.ts';
import type { MaterialSource } from '@trimtab/kube/tls/material.ts';
import { openMaterialFiles } from '@trimtab/kube/tls/material-files.ts';
import { type Gateway, startGateway } from './gateway.ts';
import type { RateLimits } from './limits/rate-limit.ts';
import { trustConfigMap, trustKey } from './manifests/installation.ts';
import { gatewayCertificate } from './tls/gateway-certificate.ts';
import type { TlsChoice } from './tls/tls-choice.ts';

export interface RunGatewayOptions {
  access: ClusterAccess;
  /** With the gateway's own identity. */
  client: KubeClient;
  host: string;
  port: number;
  /** The flag that sets the port, for the error when it is taken. */
  portFlag?: string;
  tls: TlsChoice;
  /** A file with the authorities whose client certificates are accepted. */
  clientCa?: string;
  limits: RateLimits;
  /** Whose versions pods are served. */
  current: { namespace?: string; secrets: boolean };
  homeNamespace: string;
  log: Logger;
  metrics: Registry;
  clock?: Clock;
  /** Ends what is kept up to date; `close` of the gateway ends the rest. */
  signal: AbortSignal;
}

/** Starts the gateway as it runs in a cluster. */
export async function runGateway(options: RunGatewayOptions): Promise<Gateway> {
  const { tls, clientCa, clock = systemClock, log } = options;
  if (tls.from === 'nowhere') return startGateway(shared(options));
  const own = await materialOf(options, tls);
  if (clientCa === undefined) return startGateway({ ...shared(options), tls: { material: own } });
  const material = await withClientAuthority({ material: own, file: clientCa, clock, log });
  options.signal.addEventListener('abort', () => material.close());
  return startGateway({ ...shared(options), tls: { material }, clientCertificates: true });
}

function shared(options: RunGatewayOptions) {
  const { access, host, port, portFlag, limits, current, log, metrics, clock } = options;
  return {
    ...{ access, host, port, limits, current, log, metrics },
    ...(portFlag !== undefined && { portFlag }),
    ...(clock && { clock }),
  };
}

async function materialOf(
  { client, homeNamespace, clock = systemClock, log, signal }: RunGatewayOptions,
  tls: Exclude<TlsChoice, { from: 'nowhere' }>,
): Promise<MaterialSource> {
  if (tls.from === 'files') {
    const { certificate, key } = tls;
    const material = await openMaterialFiles({ files: { certificate, key }, clock, log });
    signal.addEventListener('abort', () => material.close());
    return material;
  }
  const keeper = gatewayCertificate({ client, homeNamespace, hosts: tls.hosts, clock, log });
  void keeper.run(signal);
  const material = await keeper.material();
  log.info(
    { configMap: `${homeNamespace}/${trustConfigMap}`, key: trustKey },
    'clients find the authority to trust in this ConfigMap',
  );
  return material;
}
