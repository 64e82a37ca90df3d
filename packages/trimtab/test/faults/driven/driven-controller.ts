import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import { leaseTiming } from '@trimtab/kube/lease/timing.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { createRegistry, type Registry } from '@trimtab/kube/metrics/metrics.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { runController } from '../../../src/controller/controller.ts';
import { Gate } from './gate.ts';
import { ProcessClock } from './process-clock.ts';

/** The entry point of one copy of the sources. Copies must not be mixed, because errors are matched by class. */
export interface ControllerProgram {
  runController: typeof runController;
}

/** Twice the defaults: waiting is free on this clock, and most requests of an idle controller are for the Lease. */
const patient = leaseTiming({ leaseDurationMs: 30_000, renewDeadlineMs: 20_000, retryPeriodMs: 5_000 });

const usual: ControllerProgram = { runController };

interface ControllerOptions {
  clock: Clock;
  access: ClusterAccess & Required<Pick<ClusterAccess, 'connect'>>;
  namespace: string;
  /** Defaults to the controller of this repository. */
  program?: ControllerProgram;
  /** Defaults to no log. */
  log?: Logger;
  metrics?: Registry;
  /** Called when the controller exits without being killed. */
  onEnd: () => void;
}

/**
 * A controller that behaves like a separate process: it has its own clock and connections, and can be frozen or
 * killed.
 */
export class DrivenController {
  readonly #clock: ProcessClock;
  readonly #gate: Gate;
  #isGone = false;

  constructor(options: ControllerOptions) {
    const { clock, access, namespace, program = usual, log = silentLogger, onEnd } = options;
    this.#clock = new ProcessClock(clock);
    this.#gate = new Gate(() => access.connect());
    const own = { ...access, connect: () => this.#gate.connect() };
    const end = () => {
      if (this.#isGone) return;
      this.kill();
      onEnd();
    };
    void program
      .runController({
        client: httpClient({ access: own, log, clock: this.#clock }),
        log,
        metrics: options.metrics ?? createRegistry(),
        checks: new HealthChecks(),
        clock: this.#clock,
        namespaces: [namespace],
        homeNamespace: namespace,
        leaseTiming: patient,
        secrets: true,
        reloaderAnnotations: false,
        coalesceMs: 200,
        removeUnusedAfterMs: 5_000,
        signal: new AbortController().signal,
        onOverdue: end,
      })
      .then(end, end);
  }

  kill(): void {
    this.#isGone = true;
    this.#clock.end();
    this.#gate.shut();
  }

  freeze(): void {
    this.#clock.freeze();
    this.#gate.freeze();
  }

  thaw(): void {
    this.#clock.thaw();
    this.#gate.thaw();
  }
}
