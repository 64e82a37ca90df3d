import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { certificateMetrics } from '@trimtab/kube/tls/certificate-metrics.ts';
import { withClientAuthority } from '@trimtab/kube/tls/client-authority.ts';
import type { MaterialSource } from '@trimtab/kube/tls/material.ts';
import { openMaterialFiles } from '@trimtab/kube/tls/material-files.ts';
import { gatewayTrust } from '../api/names.ts';
import type { IsTrusted } from './client/trusted-proxies.ts';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';
import type { LoadLimits } from './limits/load-limits.ts';
import type { RateLimits } from './limits/rate-limit.ts';
import { gatewayCertificate } from './tls/gateway-certificate.ts';
import type { TlsChoice } from './tls/tls-choice.ts';

export interface RunGatewayOptions {
  access: ClusterAccess;
  /** Uses the gateway's own credentials. */
  client: KubeClient;
  host: string;
  port: number;
  /** Name of the flag that sets the port, for the error when the port is in use. */
  portFlag?: string;
  tls: TlsChoice;
  /** File with the certificate authorities whose client certificates are accepted. */
  clientCa?: string;
  limits: RateLimits;
  load?: LoadLimits;
  /** See `GatewayOptions`. */
  trustedProxies?: IsTrusted;
  accessLog?: NonNullable<GatewayOptions['accessLog']>;
  /** See `GatewayOptions`. */
  answerTimeoutMs?: number;
  /** Namespace whose pods are served (all by default), whether pods may read Secrets, and their number of watches. */
  current: { namespaces?: readonly string[]; secrets: boolean; maxStreamsPerPod?: number };
  homeNamespace: string;
  log: Logger;
  metrics: Registry;
  clock?: Clock;
  /** Stops the renewal of certificates; `close` of the gateway stops everything else. */
  signal: AbortSignal;
}

/** Starts the gateway as it runs in a cluster. */
export async function runGateway(options: RunGatewayOptions): Promise<Gateway> {
  const { tls, clientCa, clock = systemClock, log } = options;
  if (tls.from === 'nowhere') return startGateway(shared(options));
  const own = await materialOf(options, tls);
  certificateMetrics(options.metrics, 'gateway', own);
  if (clientCa === undefined) return startGateway({ ...shared(options), tls: { material: own } });
  const material = await withClientAuthority({ material: own, file: clientCa, clock, log });
  options.signal.addEventListener('abort', () => material.close());
  return startGateway({ ...shared(options), tls: { material }, clientCertificates: true });
}

function shared(options: RunGatewayOptions) {
  const { access, host, port, portFlag, limits, load, answerTimeoutMs, current, log, metrics, clock } =
    options;
  const { trustedProxies, accessLog } = options;
  return {
    ...{ access, host, port, limits, current, log, metrics },
    ...(portFlag !== undefined && { portFlag }),
    ...(answerTimeoutMs !== undefined && { answerTimeoutMs }),
    ...(trustedProxies && { trustedProxies }),
    ...(load && { load }),
    ...(accessLog && { accessLog }),
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
  const certificates = gatewayCertificate({ client, homeNamespace, hosts: tls.hosts, clock, log });
  void certificates.run(signal);
  const material = await certificates.material();
  log.info(
    { configMap: `${homeNamespace}/${gatewayTrust.configMap}`, key: gatewayTrust.key },
    'CA certificate for clients published in ConfigMap',
  );
  return material;
}
