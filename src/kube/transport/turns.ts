import type { Clock } from '../../platform/clock.ts';

/** Requests that can wait are at least so many at a time, whatever else goes on: they are late, never lost. */
const patientAtLeast = 1;
/** And never more than so many: they keep their turn while they are repeated, and must not keep others from theirs. */
const patientAtMost = 16;
/** For so long after the last request that could not wait, the next step of the same work may follow. */
const calmAfterMs = 20;

/**
 * Lets so many through at a time, in the order in which they came; those that can wait after the others. The agent's
 * own `maxSockets` cannot do it: it does not count connections that are still being made, and ours take a while to
 * make.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #clock: Clock;
  readonly #urgent = { running: 0, waiting: [] as (() => void)[] };
  readonly #patient = { running: 0, waiting: [] as (() => void)[] };
  #lastUrgentAt = Number.NEGATIVE_INFINITY;
  #alarm = false;

  constructor(atOnce: number, clock: Clock) {
    this.#atOnce = atOnce;
    this.#clock = clock;
  }

  /** Resolves with what ends the turn. Who no longer wants it must end it all the same. */
  async take(canWait = false): Promise<() => void> {
    const lane = canWait ? this.#patient : this.#urgent;
    await new Promise<void>((resolve) => {
      lane.waiting.push(resolve);
      this.#admit();
    });
    return () => {
      lane.running--;
      if (!canWait) this.#lastUrgentAt = this.#clock.monotonic();
      this.#admit();
    };
  }

  #admit(): void {
    while (this.#isFree && this.#urgent.waiting.length > 0) start(this.#urgent);
    while (this.#isFree && this.#patient.waiting.length > 0 && this.#mayStartPatient()) start(this.#patient);
  }

  get #isFree(): boolean {
    return this.#urgent.running + this.#patient.running < this.#atOnce;
  }

  #mayStartPatient(): boolean {
    if (this.#patient.running < patientAtLeast) return true;
    if (this.#urgent.running > 0 || this.#patient.running >= patientAtMost) return false;
    const leftMs = this.#lastUrgentAt + calmAfterMs - this.#clock.monotonic();
    if (leftMs <= 0) return true;
    if (!this.#alarm) {
      this.#alarm = true;
      this.#clock.after(leftMs, () => {
        this.#alarm = false;
        this.#admit();
      });
    }
    return false;
  }
}

function start(lane: { running: number; waiting: (() => void)[] }): void {
  lane.running++;
  lane.waiting.shift()?.();
}
