import { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import { startHealthServer } from '@trimtab/kube/http/health-server.ts';
import { accessOptions } from '@trimtab/kube/identity/access-flags.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { createLogger } from '@trimtab/kube/log/log.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { registerProcessMetrics } from '@trimtab/kube/metrics/process-metrics.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { forwardedSignals } from '../agent/application/forwarded-signals.ts';
import { reapOrphans } from '../agent/application/reap-orphans.ts';
import { startAgent } from '../agent/run-agent.ts';
import type { Settings } from '../agent/settings.ts';
import type { AgentFlags } from './agent-program.ts';

/** The verbosity of Kubernetes' programs at which debug messages begin. */
const debugVerbosity = 4;

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
  const stop = new AbortController();
  const metrics = createRegistry();
  registerProcessMetrics(metrics);
  const client = httpClient({
    access: await loadAccess(accessOptions(flags)),
    log,
    metrics,
    userAgent: 'trimtab-agent',
  });
  const checks = new HealthChecks();
  const health = settings.once
    ? undefined
    : await startHealthServer({
        host: flags.healthHost ?? (process.env['POD_IP'] || '0.0.0.0'),
        port: flags.healthPort,
        portFlag: '--health-port',
        ...{ log, checks, registry: metrics },
      });
  const agent = startAgent({
    settings,
    timings: {
      reloadTimeoutMs: flags.reloadTimeoutMs,
      retries: flags.retries,
      startTimeoutMs: flags.startTimeoutMs,
      maxWatchFailureMs: flags.maxWatchFailureMs,
      graceMs: flags.shutdownGraceMs,
    },
    ...{ client, log, metrics, checks, signal: stop.signal },
    ...(onStep && { onStep }),
  });
  if (settings.command === undefined) {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stop.abort());
  } else {
    for (const name of forwardedSignals) process.on(name, () => agent.forward(name));
    await reapOrphans();
  }
  const exitCode = await agent.ended;
  log.info({ exitCode }, 'program ended');
  stop.abort();
  client.close();
  await health?.close(0);
  // The sources of the agent may still wait for a response.
  process.exit(exitCode);
}
