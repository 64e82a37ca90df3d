import { type Barrier, FakeLeaseServer } from '@trimtab/test-bed/fakes/fake-lease-server.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Clock, sleep } from '../clock.ts';
import { silentLogger } from '../log/silent-logger.ts';
import type { Work } from './lead.ts';
import { runAsLeader } from './run-as-leader.ts';

/** Properties of one candidate: the speed and offset of its clock, and how long its work takes to stop. */
interface Traits {
  rate: number;
  monotonicMs: number;
  wallClockMs: number;
  stopMs: number;
  startMs: number;
  /** When the process is killed, without releasing the Lease. */
  diesAtMs: number | undefined;
  /** Delays and failures of its requests, one after the other; an outage applies to all requests in its time range. */
  passages: Barrier[];
  outages: Outage[];
}

interface Outage {
  fromMs: number;
  lengthMs: number;
  passage: Barrier;
}

const delay = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 12_000 }) },
  { weight: 1, arbitrary: fc.constant('never' as const) },
);
const passage: fc.Arbitrary<Barrier> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 4, arbitrary: fc.record({ toServerMs: delay, backMs: delay }) },
  { weight: 1, arbitrary: fc.record({ refusedWith: fc.constantFrom(403, 429, 500, 503) }) },
);
const outage: fc.Arbitrary<Outage> = fc.record({
  fromMs: fc.integer({ min: 0, max: 120_000 }),
  lengthMs: fc.integer({ min: 5_000, max: 40_000 }),
  passage: fc.constantFrom<Barrier>(
    { toServerMs: 'never' },
    { backMs: 'never' },
    { toServerMs: 3_300 },
    { backMs: 3_300 },
    { toServerMs: 5_000 },
    { refusedWith: 503 },
  ),
});
const traits: fc.Arbitrary<Traits> = fc.record({
  // Clock speeds differ by less than 15/10 (lease duration / renew deadline), which leaves time for the work to stop.
  rate: fc.double({ min: 0.95, max: 1.05, noNaN: true }),
  monotonicMs: fc.integer({ min: 0, max: 1e9 }),
  wallClockMs: fc.integer({ min: 0, max: 4e12 }),
  stopMs: fc.integer({ min: 0, max: 2_000 }),
  startMs: fc.integer({ min: 0, max: 20_000 }),
  diesAtMs: fc.option(fc.integer({ min: 0, max: 120_000 }), { nil: undefined, freq: 4 }),
  passages: fc.array(passage, { maxLength: 60 }),
  outages: fc.array(outage, { maxLength: 4 }),
});

/** Long enough for a run to use all of its faults, or nearly all. */
const troubleMs = 150_000;

class Simulation {
  readonly #clock = new ManualClock();
  readonly #server = new FakeLeaseServer(this.#clock);
  readonly #shutdown = new AbortController();
  readonly #dead = new Set<number>();
  readonly working = new Set<number>();
  readonly overlaps: string[] = [];
  #calm = false;

  async run(all: Traits[]): Promise<void> {
    for (const [index, one] of all.entries()) {
      this.#clock.after(one.startMs, () => this.#start(index, one));
      if (one.diesAtMs === undefined) continue;
      this.#clock.after(one.diesAtMs, () => {
        this.#dead.add(index);
        this.working.delete(index);
      });
    }
    await this.#clock.advance(troubleMs);
    this.#calm = true;
    await this.#clock.advance(60_000);
  }

  async end(): Promise<void> {
    this.#shutdown.abort();
    await this.#clock.advance(30_000);
  }

  #start(index: number, one: Traits): void {
    const passages = [...one.passages];
    const next = (): Barrier => {
      if (this.#dead.has(index)) return { toServerMs: 'never' };
      if (this.#calm) return {};
      const now = this.#clock.monotonic();
      const down = one.outages.find(({ fromMs, lengthMs }) => fromMs <= now && now < fromMs + lengthMs);
      return down?.passage ?? passages.shift() ?? {};
    };
    const clock = this.#clockOf(index, one);
    const work: Work = async (signal) => {
      // A response may still arrive for a process that was killed; the process ignores it.
      if (this.#dead.has(index)) return new Promise<never>(() => {});
      if (this.working.size > 0) this.overlaps.push(`${index} starts while ${[...this.working]} works`);
      this.working.add(index);
      await sleep(clock, Number.MAX_SAFE_INTEGER, signal).catch(() => {});
      await sleep(clock, one.stopMs);
      this.working.delete(index);
    };
    const candidacy = runAsLeader(
      {
        client: this.#server.client(next),
        lease: { namespace: 'n', name: 'l' },
        identity: `candidate-${index}`,
        clock,
        log: silentLogger,
        signal: this.#shutdown.signal,
      },
      work,
    );
    candidacy.ended.catch((error: unknown) => this.overlaps.push(String(error)));
  }

  #clockOf(index: number, one: Traits): Clock {
    return {
      now: () => one.wallClockMs + this.#clock.monotonic() * one.rate,
      monotonic: () => one.monotonicMs + this.#clock.monotonic() * one.rate,
      after: (ms, callback) =>
        this.#clock.after(ms / one.rate, () => {
          if (!this.#dead.has(index)) callback();
        }),
    };
  }
}

it('never lets two work at once, and lets one work when the server answers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(traits, { minLength: 2, maxLength: 3 }), async (all) => {
      const simulation = new Simulation();
      await simulation.run(all);
      expect(simulation.overlaps).toEqual([]);
      const anybodyAlive = all.some((one) => one.diesAtMs === undefined);
      expect(simulation.working.size).toBe(anybodyAlive ? 1 : 0);
      await simulation.end();
    }),
    { numRuns: 200 },
  );
}, 60_000);
