import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import { leaseTiming } from '@trimtab/kube/lease/timing.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { runController } from '../../../src/controller/controller.ts';
import { Gate } from './gate.ts';
import { ProcessClock } from './process-clock.ts';

/** What a controller is made of, all of one copy of the sources: errors are told apart by their class. */
export interface ControllerProgram {
  runController: typeof runController;
}

/** Twice the usual: waiting is free here, and asking for the Lease is most of what an idle controller does. */
const patient = leaseTiming({ leaseDurationMs: 30_000, renewDeadlineMs: 20_000, retryPeriodMs: 5_000 });

const usual: ControllerProgram = { runController };

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
        client: httpClient({ access: own, log: silentLogger, clock: this.#clock }),
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
