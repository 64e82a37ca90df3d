import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { silentLogger } from '../log/silent-logger.ts';
import type { ReconcileResult } from './reconcile-result.ts';
import { WorkQueue } from './work-queue.ts';

const concurrency = 2;
const maxBackoffMs = 500;

/** The queue under test, and the model: for each key, the time at which its next run is due. */
class World {
  readonly clock = new ManualClock();
  readonly queue: WorkQueue;
  readonly running = new Map<string, PromiseWithResolvers<ReconcileResult | undefined>>();
  /** Time at which each key is due. It must run then, or later when `concurrency` is reached. */
  readonly owed = new Map<string, number>();
  readonly failing = new Set<string>();
  /** Collected instead of thrown, because the queue treats an exception as a failure of the handler. */
  readonly violations: string[] = [];

  constructor() {
    this.queue = new WorkQueue({
      name: 'model',
      concurrency,
      clock: this.clock,
      log: silentLogger,
      random: () => 1,
      backoff: { initialMs: 10, maxMs: maxBackoffMs },
      handle: (key) => this.#handle(key),
    });
    this.queue.start();
  }

  owe(key: string, at: number): void {
    this.owed.set(key, Math.min(at, this.owed.get(key) ?? Number.POSITIVE_INFINITY));
  }

  get now(): number {
    return this.clock.monotonic();
  }

  ready(): string[] {
    return [...this.owed].flatMap(([key, at]) => (at <= this.now && !this.running.has(key) ? [key] : []));
  }

  #handle(key: string): Promise<ReconcileResult | undefined> {
    if (this.running.has(key)) this.violations.push(`${key} is handled concurrently`);
    if (this.running.size >= concurrency) this.violations.push('concurrency limit exceeded');
    // A failed key may run at any time up to its backoff limit; other keys only when they are due.
    const due = this.owed.get(key) ?? Number.POSITIVE_INFINITY;
    if (!this.failing.has(key) && due > this.now) this.violations.push(`${key} is not due`);
    this.owed.delete(key);
    this.failing.delete(key);
    const done = Promise.withResolvers<ReconcileResult | undefined>();
    this.running.set(key, done);
    return done.promise;
  }
}

type Step =
  | { do: 'add'; key: string }
  | { do: 'addAfter'; key: string; ms: number }
  | { do: 'finish' | 'fail'; nth: number; requeueAfterMs: number | undefined }
  | { do: 'advance'; ms: number };

const key = fc.constantFrom('a/1', 'a/2', 'a/3', 'b/1', 'c');
const ms = fc.constantFrom(1, 10, 50, 100);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key }),
  fc.record({ do: fc.constant('addAfter' as const), key, ms }),
  fc.record({
    do: fc.constantFrom('finish' as const, 'fail' as const),
    nth: fc.nat(3),
    requeueAfterMs: fc.option(fc.constantFrom(0, 1, 30), { nil: undefined }),
  }),
  fc.record({ do: fc.constant('advance' as const), ms }),
);

async function perform(world: World, action: Step): Promise<void> {
  switch (action.do) {
    case 'add':
      world.owe(action.key, world.now);
      world.queue.add(action.key);
      break;
    case 'addAfter':
      world.owe(action.key, world.now + action.ms);
      world.queue.addAfter(action.key, action.ms);
      break;
    case 'advance':
      await world.clock.advance(action.ms);
      break;
    default: {
      const found = [...world.running][action.nth];
      if (!found) return;
      const [finished, done] = found;
      world.running.delete(finished);
      if (action.do === 'fail') {
        world.failing.add(finished);
        world.owe(finished, world.now + maxBackoffMs);
        done.reject(new Error('no'));
      } else {
        if (action.requeueAfterMs !== undefined) world.owe(finished, world.now + action.requeueAfterMs);
        done.resolve(
          action.requeueAfterMs === undefined ? undefined : { requeueAfterMs: action.requeueAfterMs },
        );
      }
    }
  }
  await world.clock.advance(0);
  if (world.ready().length > 0)
    expect(world.running.size, 'a key is due and a worker is free').toBe(concurrency);
}

test('whatever is added is handled, in time, one at a time per key, and nothing else is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), async (steps) => {
      const world = new World();
      for (const action of steps) await perform(world, action);
      // After all handlers have finished, no key may be due.
      for (let turn = 0; turn < 200 && (world.owed.size > 0 || world.running.size > 0); turn++) {
        await perform(world, { do: 'finish', nth: 0, requeueAfterMs: undefined });
        await perform(world, { do: 'advance', ms: 50 });
      }
      expect(world.violations).toEqual([]);
      expect([...world.owed.keys()]).toEqual([]);
      expect(await world.queue.drain(0)).toEqual({ unfinished: [] });
      expect(world.clock.pending).toBe(0);
    }),
    { numRuns: 300 },
  );
});
