/** Undefined when all is well, otherwise the reason in a few words (no values of configs: anybody may read it). */
export type HealthCheck = () => string | undefined;

export interface CheckResult {
  name: string;
  problem: string | undefined;
}

/**
 * The named checks behind /livez and /readyz. Liveness asks whether a restart would help: nothing upstream belongs
 * there. Readiness asks whether to send work here.
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

  /** Ready includes alive. */
  run(kind: 'live' | 'ready'): CheckResult[] {
    const checks = kind === 'live' ? [...this.#live] : [...this.#live, ...this.#ready];
    return checks.map(([name, check]) => ({ name, problem: outcome(check) }));
  }
}

function outcome(check: HealthCheck): string | undefined {
  try {
    return check();
  } catch (error) {
    return `the check itself failed with ${error instanceof Error ? error.name : typeof error}`;
  }
}
