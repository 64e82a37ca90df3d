import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Flags, ParsedFlags } from '@trimtab/kube/flags/flags.ts';
import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import type { Program } from '@trimtab/kube/flags/program.ts';
import { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import { startHealthServer } from '@trimtab/kube/http/health-server.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { createLogger, type Logger, type LoggerOptions } from '@trimtab/kube/log/log.ts';
import { createRegistry, type Registry } from '@trimtab/kube/metrics/metrics.ts';
import { registerProcessMetrics } from '@trimtab/kube/metrics/process-metrics.ts';
import { installShutdown, type ProcessHost, type Shutdown } from '@trimtab/kube/shutdown.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';

/** Resources that every long-running program gets at its start. */
interface Service {
  log: Logger;
  shutdown: Shutdown;
  metrics: Registry;
  access: ClusterAccess;
  /** Uses the program's own credentials. */
  client: KubeClient;
  /** Checks that are added before the first `await` of `start` are in place for the first probe. */
  checks: HealthChecks;
}

/** The part of `process` that a service uses. A test can run several services in one process, each with its own host. */
export interface ServiceHost extends ProcessHost {
  /** Defaults to standard error. */
  logDestination?: NonNullable<LoggerOptions['destination']>;
}

interface ServiceStart {
  /** Time for all close handlers together. */
  closeWithinMs: number;
  start(service: Service): void | Promise<void>;
}

/** The flags that `runService` reads; service-flags.ts declares them. */
type ServiceFlags = Flags & {
  kubeconfig: { type: 'string' };
  context: { type: 'string' };
  logLevel: { type: 'choice'; default: string };
  /** Optional; without these flags the program has no health server. */
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
 * Runs a program until it is terminated. Returns an exit code only when the program does not start, as with --help.
 * `prepare` runs before any resource is opened, so conflicting flags are reported before any other problem.
 */
export async function runService<const F extends ServiceFlags>(
  program: Program<F, Record<never, never>>,
  argv: string[],
  prepare: (flags: ParsedFlags<F>) => ServiceStart,
  host: ServiceHost = process,
): Promise<number | undefined> {
  const parsed = parseConfig(program, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { closeWithinMs, start } = prepare(parsed.flags);
  const { kubeconfig, context, logLevel, healthHost, healthPort } = parsed.flags as ParsedServiceFlags;
  const name = program.name.replaceAll(' ', '-');
  const { logDestination: destination } = host;
  const log = createLogger({ program: name, level: logLevel, ...(destination && { destination }) });
  const shutdown = installShutdown({ log, deadlineMs: closeWithinMs, process: host });
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
