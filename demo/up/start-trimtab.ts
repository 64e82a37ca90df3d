import type { KubeClient } from '@trimtab/kube/client.ts';
import { systemClock } from '@trimtab/kube/clock.ts';
import { freePort } from '@trimtab/kube/http/free-port.ts';
import { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import { leaseTiming } from '@trimtab/kube/lease/timing.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { configMaps, leases } from '@trimtab/kube/resource.ts';
import type { Shutdown } from '@trimtab/kube/shutdown.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { gatewayTrust, systemNamespace } from 'trimtab/api/names.ts';
import { runController } from 'trimtab/controller/controller.ts';
import { installation, serviceAccountName } from 'trimtab/controller/manifests/installation.ts';
import { printManifests } from 'trimtab/controller/manifests/print-manifests.ts';
import { gatewayManifests } from 'trimtab/gateway/manifests/gateway-manifests.ts';
import { gatewayAccount } from 'trimtab/gateway/manifests/installation.ts';
import { runGateway } from 'trimtab/gateway/run-gateway.ts';
import { parseAllDocuments } from 'yaml';
import { accountAccess } from './account-access.ts';
import { applyObjects } from './apply-objects.ts';

export interface TrimtabOptions {
  /** A client with the administrator's credentials. */
  admin: KubeClient;
  cluster: { url: string; authority: string };
  gatewayPort: number;
  log: Logger;
  shutdown: Shutdown;
}

export interface RunningTrimtab {
  gateway: { url: string; authority: string };
}

const host = '127.0.0.1';
/** Shorter than the default, because a person presses a key and watches the result. */
const coalesceMs = 200;

/** Installs the manifests of the guide, and runs the controller and the gateway with their own service accounts. */
export async function startTrimtab(options: TrimtabOptions): Promise<RunningTrimtab> {
  const { admin, log, shutdown } = options;
  // The webhook configuration contains the port, so the port is chosen before the webhook listens.
  const webhookPort = await freePort();
  const webhookUrl = `https://${host}:${webhookPort}`;
  const manifests = printManifests({ webhookUrl }, gatewayManifests({}));
  await applyObjects(
    admin,
    parseAllDocuments(manifests).map((document) => document.toJS() as KubeObject),
  );
  await freeLease(admin);
  const controller = runController({
    client: clientFor(options, serviceAccountName, 'trimtab-controller'),
    log: log.child({ part: 'controller' }),
    metrics: createRegistry(),
    checks: new HealthChecks(),
    homeNamespace: systemNamespace,
    leaseTiming: leaseTiming(),
    secrets: true,
    reloaderAnnotations: false,
    coalesceMs,
    removeUnusedAfterMs: 300_000,
    signal: shutdown.signal,
    webhook: { host, port: webhookPort, webhookUrl },
    onOverdue: () => process.exit(1),
  });
  shutdown.onClose('controller', () => controller.catch(() => {}));
  controller.catch((error: unknown) => {
    if (!shutdown.signal.aborted) shutdown.end(error);
  });
  const gateway = await startGateway(options);
  return { gateway };
}

/** Deletes the Lease of a killed process. Only one process at a time uses a state folder, so no leader is displaced. */
async function freeLease(admin: KubeClient): Promise<void> {
  const where = { namespace: systemNamespace, name: installation(undefined).lease };
  await admin.delete(leases, where).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

async function startGateway(options: TrimtabOptions): Promise<RunningTrimtab['gateway']> {
  const { admin, cluster, gatewayPort, log, shutdown } = options;
  const account = { namespace: systemNamespace, name: gatewayAccount };
  const gateway = await runGateway({
    access: accountAccess(admin, cluster, account, systemClock),
    client: clientFor(options, gatewayAccount, 'trimtab-gateway'),
    host,
    port: gatewayPort,
    portFlag: '--gateway-port',
    tls: { from: 'own authority', hosts: [] },
    limits: { requestsPerSecond: 0, burst: 1 },
    current: { secrets: true },
    homeNamespace: systemNamespace,
    log: log.child({ part: 'gateway' }),
    metrics: createRegistry(),
    signal: shutdown.signal,
  });
  shutdown.onClose('gateway', () => gateway.close(1_000));
  const trust = await admin.get<KubeObject & { data?: Record<string, string> }>(configMaps, {
    namespace: systemNamespace,
    name: gatewayTrust.configMap,
  });
  return { url: gateway.url, authority: trust.data?.[gatewayTrust.key] ?? '' };
}

function clientFor(
  { admin, cluster, log, shutdown }: TrimtabOptions,
  name: string,
  userAgent: string,
): KubeClient {
  const access = accountAccess(admin, cluster, { namespace: systemNamespace, name }, systemClock);
  const client = httpClient({ access, log, userAgent });
  shutdown.onClose(`client of ${name}`, () => client.close());
  return client;
}
