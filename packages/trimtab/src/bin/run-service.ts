import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Flags, ParsedFlags } from '@trimtab/kube/flags/flags.ts';
import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import type { Program } from '@trimtab/kube/flags/program.ts';
import { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import { startHealthServer } from '@trimtab/kube/http/health-server.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { createLogger, type Logger } from '@trimtab/kube/log/log.ts';
import { createRegistry, type Registry } from '@trimtab/kube/metrics/metrics.ts';
import { registerProcessMetrics } from '@trimtab/kube/metrics/process-metrics.ts';
import { installShutdown, type Shutdown } from '@trimtab/kube/shutdown.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';

/** What every program that runs for long has from its start. */
interface Service {
  log: Logger;
  shutdown: Shutdown;
  metrics: Registry;
  access: ClusterAccess;
  /** With the program's own identity. */
  client: KubeClient;
  /** What is added before `start` waits for anything is there for the first who asks. */
  checks: HealthChecks;
}

interface ServiceStart {
  /** For everything that has to close at the end, together. */
  closeWithinMs: number;
  start(service: Service): void | Promise<void>;
}

/** The flags that decide what a program gets here, as service-flags.ts has them. */
type ServiceFlags = Flags & {
  kubeconfig: { type: 'string' };
  context: { type: 'string' };
  logLevel: { type: 'choice'; default: string };
  /** Without these, nothing is served about its health. */
  healthHost?: { type: 'string'; default: string };
  healthPort?: { type: 'port'; default: number };
};

interface ParsedServiceFlags {
  kubeconfig?: string;
  context?: string;
  logLevel: string;
  healthHost?: string;
  healthPort?: number;
}

/**
 * Runs a program until it is told to end; answers the exit code where it does not even begin. `prepare` is asked
 * before anything is opened, so that flags which can't work together are all that the user hears of.
 */
export async function runService<const F extends ServiceFlags>(
  program: Program<F, Record<never, never>>,
  argv: string[],
  prepare: (flags: ParsedFlags<F>) => ServiceStart,
): Promise<number | undefined> {
  const parsed = parseConfig(program, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { closeWithinMs, start } = prepare(parsed.flags);
  const { kubeconfig, context, logLevel, healthHost, healthPort } = parsed.flags as ParsedServiceFlags;
  const name = program.name.replaceAll(' ', '-');
  const log = createLogger({ program: name, level: logLevel });
  const shutdown = installShutdown({ log, deadlineMs: closeWithinMs });
  const metrics = createRegistry();
  registerProcessMetrics(metrics);
  const access = await loadAccess({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
  });
  const client = httpClient({ access, log, metrics, userAgent: name });
  shutdown.onClose('client', () => client.close());
  const checks = new HealthChecks();
  if (healthHost !== undefined && healthPort !== undefined) {
    const health = await startHealthServer({
      ...{ host: healthHost, port: healthPort, portFlag: '--health-port' },
      ...{ log, checks, registry: metrics },
    });
    shutdown.onClose('health', () => health.close(1_000));
  }
  await start({ log, shutdown, metrics, access, client, checks });
  return undefined;
}
