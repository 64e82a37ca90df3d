import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { kubeconfigText } from '@trimtab/test-bed/fakes/kubeconfig-text.ts';
import { trustedProxies } from '../../../src/gateway/client/trusted-proxies.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../../../src/gateway/gateway.ts';
import { compiledProgram } from '../../support/trimtab-command.ts';
import { GatewayProcess } from './gateway-process.ts';

export interface GatewayUnderTest extends Gateway {
  /** The metrics as Prometheus reads them. */
  metrics(): Promise<string>;
}

type Settings = Omit<
  GatewayOptions,
  'access' | 'host' | 'port' | 'portFlag' | 'log' | 'metrics' | 'trustedProxies'
>;

export interface GatewayUnderTestOptions extends Partial<Settings> {
  access: GatewayOptions['access'];
  /** Defaults to a silent logger. A gateway with a logger of the test runs in this process. */
  log?: Logger;
  /** As `--trusted-proxies` takes them. */
  trustedProxies?: readonly string[];
  /** The test replaces the certificate or controls something else that no flag of the program can express. */
  inThisProcess?: boolean;
}

/**
 * Starts a gateway on a free port of 127.0.0.1: in this process, or the compiled program when TRIMTAB_PROGRAM is set.
 * A gateway with a manual clock always runs in this process.
 */
export function startGatewayUnderTest(options: GatewayUnderTestOptions): Promise<GatewayUnderTest> {
  const { inThisProcess = options.clock !== undefined || options.log !== undefined } = options;
  return compiledProgram === undefined || inThisProcess ? runHere(options) : runCompiled(options);
}

async function runHere({
  inThisProcess: _,
  trustedProxies: proxies = [],
  ...options
}: GatewayUnderTestOptions): Promise<GatewayUnderTest> {
  const registry = createRegistry();
  const gateway = await startGateway({
    ...{ host: '127.0.0.1', port: 0, log: silentLogger, metrics: registry },
    ...{ trustedProxies: trustedProxies(proxies), ...options },
  });
  return { ...gateway, metrics: async () => registry.render() };
}

async function runCompiled(options: GatewayUnderTestOptions): Promise<GatewayUnderTest> {
  const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-gateway-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const kubeconfig = path.join(folder, 'kubeconfig');
    await writeFile(kubeconfig, await kubeconfigText(options.access));
    const flags = [...plainFlags(options), ...(await tlsFlags(options, folder))];
    const gateway =
      options.mode === 'proxy'
        ? await GatewayProcess.startProxy(kubeconfig)
        : await GatewayProcess.startWith(['--kubeconfig', kubeconfig, ...flags]);
    void gateway.ended.then(removeFolder);
    return {
      url: gateway.url,
      metrics: async () => (await fetch(`${gateway.healthUrl}/metrics`)).text(),
      close: (graceMs) => stop(gateway, graceMs),
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

function plainFlags(options: GatewayUnderTestOptions): string[] {
  const { limits, load, answerTimeoutMs, current = {}, trustedProxies: proxies = [] } = options;
  const { namespaces = [], secrets = true, maxStreamsPerPod } = current;
  const values = {
    'requests-per-second': limits?.requestsPerSecond,
    burst: limits?.burst,
    'max-connections': load?.maxConnections,
    'max-connections-per-address': load?.maxConnectionsPerAddress,
    'max-unused-connections': load?.maxUnusedConnections,
    'max-requests-in-flight': load?.maxRequestsInFlight,
    'max-streams': load?.maxStreams,
    'upstream-timeout': answerTimeoutMs === undefined ? undefined : `${answerTimeoutMs}ms`,
    'max-streams-per-pod': maxStreamsPerPod,
  };
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  const trusted = proxies.map((each) => `--trusted-proxies=${each}`);
  return [
    ...[...set.map(([name, value]) => `--${name}=${value}`), ...trusted],
    ...namespaces.map((namespace) => `--namespace=${namespace}`),
    ...(secrets ? [] : ['--no-secrets']),
  ];
}

async function tlsFlags({ tls, clientCertificates }: GatewayUnderTestOptions, folder: string) {
  if (tls === undefined) return ['--no-tls'];
  const { certificate, key, clientAuthority = '' } = tls.material.current();
  const files = { 'tls-certificate': certificate, 'tls-key': key };
  const written = Object.entries(clientCertificates ? { ...files, 'client-ca': clientAuthority } : files);
  const inFolder = (name: string) => path.join(folder, name);
  for (const [name, text] of written) await writeFile(inFolder(name), text);
  return written.map(([name]) => `--${name}=${inFolder(name)}`);
}

/** A second SIGTERM ends the process at once. */
async function stop(gateway: GatewayProcess, graceMs: number): Promise<void> {
  gateway.signal('SIGTERM');
  const overdue = new AbortController();
  const secondSignal = delay(graceMs, undefined, { signal: overdue.signal }).then(
    () => gateway.signal('SIGTERM'),
    () => {},
  );
  await gateway.ended;
  overdue.abort();
  await secondSignal;
}
