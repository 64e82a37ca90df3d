import type { Clock } from '@trimtab/kube/clock.ts';

/** How long a controller changes references itself after admission has not done so. */
const awayMs = 30_000;

/** Whether admission changes references that a patch requests: the webhook of this controller, or a policy. */
export class MoveByAdmission {
  readonly #clock: Clock;
  readonly #isInstalled: boolean;
  #awayUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, isInstalled: boolean) {
    this.#clock = clock;
    this.#isInstalled = isInstalled;
  }

  get isExpected(): boolean {
    return this.#isInstalled && this.#clock.monotonic() >= this.#awayUntil;
  }

  /** A patch that requested a change came back without it. Further ones would cost a write each. */
  wasAway(): void {
    this.#awayUntil = this.#clock.monotonic() + awayMs;
  }
}
