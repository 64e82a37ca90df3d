import { runController } from '../../../../src/controller/controller.ts';
import type { ClusterAccess } from '../../../../src/kube/access.ts';
import { leaseTiming } from '../../../../src/kube/lease/timing.ts';
import { httpClient } from '../../../../src/kube/transport/http-client.ts';
import type { Clock } from '../../../../src/platform/clock.ts';
import { HealthChecks } from '../../../../src/platform/health-checks.ts';
import { createRegistry } from '../../../../src/platform/metrics.ts';
import { silentLogger } from '../../silent-logger.ts';
import { Gate } from './gate.ts';
import { ProcessClock } from './process-clock.ts';

/** What a controller is made of, all of one copy of the sources: errors are told apart by their class. */
export interface ControllerProgram {
  runController: typeof runController;
  httpClient: typeof httpClient;
}

/** Twice the usual: waiting is free here, and asking for the Lease is most of what an idle controller does. */
const patient = leaseTiming({ leaseDurationMs: 30_000, renewDeadlineMs: 20_000, retryPeriodMs: 5_000 });

const usual: ControllerProgram = { runController, httpClient };

interface ControllerOptions {
  clock: Clock;
  access: ClusterAccess & Required<Pick<ClusterAccess, 'connect'>>;
  namespace: string;
  /** This repository's unless told. */
  program?: ControllerProgram;
  /** It ended by itself. */
  onEnd: () => void;
}

/** A controller as in a process of its own: with its clock and its connections it can be frozen and killed. */
export class DrivenController {
  readonly #clock: ProcessClock;
  readonly #gate: Gate;
  #isGone = false;

  constructor({ clock, access, namespace, program = usual, onEnd }: ControllerOptions) {
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
        client: program.httpClient({ access: own, log: silentLogger, clock: this.#clock }),
        log: silentLogger,
        metrics: createRegistry(),
        checks: new HealthChecks(),
        clock: this.#clock,
        namespace,
        homeNamespace: namespace,
        leaseTiming: patient,
        secrets: true,
        reloaderAnnotations: false,
        coalesceMs: 200,
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
