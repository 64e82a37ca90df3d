import type { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { injected } from '../api/injected-pod.ts';
import { type Endpoint, startEndpoint } from './endpoint/endpoint.ts';
import { type InjectedFlags, readInjectedSettings } from './injected-settings.ts';
import type { HooksOf } from './reload/container-reloader.ts';
import { startGatewayAgent } from './run-gateway-agent.ts';
import { podNamespace } from './source/pod-namespace.ts';

interface ServeInjectedOptions {
  flags: InjectedFlags & { reloadTimeoutMs: number };
  env: NodeJS.ProcessEnv;
  log: Logger;
  metrics: Registry;
  checks: HealthChecks;
  signal: AbortSignal;
  onStep?: (step: string) => void;
}

/** DESIGN §5.5: a pod that has not acknowledged a version after this time has refused it. */
const acknowledgeMs = 30_000;
const restoreMs = 10_000;

/** Runs the agent of an injected pod, with the in-pod endpoint, until the signal aborts. */
export async function serveInjectedAgent(options: ServeInjectedOptions): Promise<void> {
  const { flags, env, log, metrics, checks, signal } = options;
  const { settings } = readInjectedSettings(flags, [], new Set());
  const token = env[injected.env.token];
  // The endpoint writes the files of the public volume, so they exist before the agent is ready.
  const ips = podIps(env);
  const endpoint = await startEndpoint({
    port: settings.pod.port,
    podIps: ips,
    // Not all addresses: on the local cluster, pods share those of the machine.
    ...(ips[0] !== undefined && { host: ips[0] }),
    containers: settings.pod.reload.map(({ container }) => container),
    ...{ log, metrics },
    ...(token !== undefined && token !== '' && { token }),
  });
  const { ended } = startGatewayAgent({
    settings,
    namespace: podNamespace(injected.paths.identityToken, env),
    paths: injected.paths,
    timings: { attemptMs: flags.reloadTimeoutMs, acknowledgeMs, restoreMs },
    publish: (configs) => endpoint.publish(configs),
    hooksOf: hooksOf(endpoint),
    ...{ log, metrics, checks, signal },
    ...(options.onStep && { onStep: options.onStep }),
  });
  await ended.finally(() => endpoint.close());
}

function hooksOf(endpoint: Endpoint): HooksOf {
  return (container, changed) =>
    endpoint
      .subscriptions()
      .filter((subscription) => subscription.container === container)
      .map((subscription) => endpoint.hookAction(subscription, changed));
}

function podIps(env: NodeJS.ProcessEnv): string[] {
  const ips = (env['POD_IPS'] ?? env['POD_IP'] ?? '').split(',');
  return ips.map((ip) => ip.trim()).filter((ip) => ip !== '');
}
