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
  readonly #onlyLive = new Set<string>();

  /** With `onlyLive`, the check is not part of readiness: the process needs a restart, but can still receive work. */
  addLiveness(name: string, check: HealthCheck, { onlyLive = false } = {}): void {
    this.#live.set(name, check);
    if (onlyLive) this.#onlyLive.add(name);
  }

  addReadiness(name: string, check: HealthCheck): void {
    this.#ready.set(name, check);
  }

  /** Readiness includes the liveness checks, except those that were added with `onlyLive`. */
  run(kind: 'live' | 'ready'): Promise<CheckResult[]> {
    const live = [...this.#live];
    const checks =
      kind === 'live' ? live : [...live.filter(([name]) => !this.#onlyLive.has(name)), ...this.#ready];
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
