/**
 * Returns undefined when healthy, else a short reason, which must not contain values of configs: anyone may read it.
 */
export type HealthCheck = () => string | undefined | Promise<string | undefined>;

export interface CheckResult {
  name: string;
  problem: string | undefined;
}

/**
 * The named checks of /livez and /readyz. A liveness check fails only when a restart helps, so it must not depend on
 * other services. A readiness check fails when the process should receive no work.
 */
export class HealthChecks {
  readonly #live = new Map<string, HealthCheck>([['ping', () => undefined]]);
  readonly #ready = new Map<string, HealthCheck>();

  addLiveness(name: string, check: HealthCheck): void {
    this.#live.set(name, check);
  }

  addReadiness(name: string, check: HealthCheck): void {
    this.#ready.set(name, check);
  }

  /** Readiness includes the liveness checks. */
  run(kind: 'live' | 'ready'): Promise<CheckResult[]> {
    const checks = kind === 'live' ? [...this.#live] : [...this.#live, ...this.#ready];
    return Promise.all(checks.map(async ([name, check]) => ({ name, problem: await outcome(check) })));
  }
}

async function outcome(check: HealthCheck): Promise<string | undefined> {
  try {
    return await check();
  } catch (error) {
    return `the check threw ${error instanceof Error ? error.name : typeof error}`;
  }
}
