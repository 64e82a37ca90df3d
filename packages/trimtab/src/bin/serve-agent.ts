import { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import { startHealthServer } from '@trimtab/kube/http/health-server.ts';
import { accessOptions } from '@trimtab/kube/identity/access-flags.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { createLogger, type Logger } from '@trimtab/kube/log/log.ts';
import { createRegistry, type Registry } from '@trimtab/kube/metrics/metrics.ts';
import { registerProcessMetrics } from '@trimtab/kube/metrics/process-metrics.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { forwardedSignals } from '../agent/application/forwarded-signals.ts';
import { reapOrphans } from '../agent/application/reap-orphans.ts';
import { startAgent } from '../agent/run-agent.ts';
import type { Settings } from '../agent/settings.ts';
import type { AgentFlags } from './agent-program.ts';

/** The verbosity of Kubernetes' programs at which debug messages begin. */
const debugVerbosity = 4;

interface Process {
  log: Logger;
  metrics: Registry;
  checks: HealthChecks;
  stop: AbortController;
}

/** Runs the agent until it is terminated, its application ends, or with --once until the files are written. */
export async function serveAgent(
  flags: AgentFlags,
  settings: Settings,
  onStep?: (step: string) => void,
): Promise<number> {
  const log = createLogger({
    program: 'trimtab-agent',
    level: flags.v >= debugVerbosity ? 'debug' : flags.logLevel,
  });
  const metrics = createRegistry();
  registerProcessMetrics(metrics);
  const checks = new HealthChecks();
  // The agent replaces this check when it starts. In an injected pod, containers start as soon as the agent is ready.
  checks.addReadiness('config', () => 'starting');
  const stop = new AbortController();
  const health = settings.once
    ? undefined
    : await startHealthServer({
        host: flags.healthHost ?? (process.env['POD_IP'] || '0.0.0.0'),
        port: flags.healthPort,
        portFlag: '--health-port',
        ...{ log, checks, registry: metrics },
      });
  const own = { log, metrics, checks, stop, ...(onStep && { onStep }) };
  const exitCode =
    flags.pod === undefined ? await serveStandalone(flags, settings, own) : await serveInjected(flags, own);
  log.info({ exitCode }, 'program ended');
  stop.abort();
  await health?.close(0);
  // The sources of the agent may still wait for a response.
  process.exit(exitCode);
}

async function serveStandalone(
  flags: AgentFlags,
  settings: Settings,
  { stop, ...own }: Process,
): Promise<number> {
  const { log, metrics } = own;
  const access = await loadAccess(accessOptions(flags));
  const client = httpClient({ access, log, metrics, userAgent: 'trimtab-agent' });
  const agent = startAgent({
    settings,
    timings: {
      reloadTimeoutMs: flags.reloadTimeoutMs,
      retries: flags.retries,
      startTimeoutMs: flags.startTimeoutMs,
      maxWatchFailureMs: flags.maxWatchFailureMs,
      graceMs: flags.shutdownGraceMs,
    },
    ...{ client, ...own, signal: stop.signal },
  });
  if (settings.command === undefined) stopOnSignals(stop);
  else {
    for (const name of forwardedSignals) process.on(name, () => agent.forward(name));
    await reapOrphans();
  }
  return agent.ended.finally(() => client.close());
}

async function serveInjected(flags: AgentFlags, { stop, ...own }: Process): Promise<number> {
  stopOnSignals(stop);
  // Imported on demand: other agents need neither a gateway nor an endpoint.
  const { serveInjectedAgent } = await import('../agent/serve-injected-agent.ts');
  await serveInjectedAgent({ flags, env: process.env, ...own, signal: stop.signal });
  return 0;
}

function stopOnSignals(stop: AbortController): void {
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stop.abort());
}
