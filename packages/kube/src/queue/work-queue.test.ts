import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import { silentLogger } from '../log/silent-logger.ts';
import { createRegistry } from '../metrics/metrics.ts';
import type { ReconcileResult } from './reconcile-result.ts';
import { WorkQueue } from './work-queue.ts';

interface RunningHandler {
  finish(outcome?: ReconcileResult): Promise<void>;
  fail(): Promise<void>;
  signal: AbortSignal;
  failures: number;
}

/** A queue whose handlers run until the test finishes them. */
function startQueue({ concurrency = 1 } = {}) {
  const clock = new ManualClock();
  const metrics = createRegistry();
  const started: string[] = [];
  const running = new Map<string, RunningHandler>();
  const queue = new WorkQueue({
    name: 'configs',
    concurrency,
    clock,
    metrics,
    random: () => 1,
    backoff: { initialMs: 100, maxMs: 1_000 },
    log: silentLogger,
    handle: (key, { signal, failures }) => {
      started.push(key);
      const done = Promise.withResolvers<ReconcileResult | undefined>();
      running.set(key, {
        signal,
        failures,
        finish: (outcome) => {
          done.resolve(outcome);
          return clock.advance(0);
        },
        fail: () => {
          done.reject(new Error('no'));
          return clock.advance(0);
        },
      });
      return done.promise.finally(() => running.delete(key));
    },
  });
  queue.start();
  const handler = (key: string): RunningHandler => {
    const found = running.get(key);
    if (!found) throw new Error(`${key} is not being handled; ${[...running.keys()].join() || 'nothing'} is`);
    return found;
  };
  return { queue, clock, metrics, started, running, handler };
}

test('a key that is added many times is handled once', async () => {
  const { queue, clock, started } = startQueue();
  for (let n = 0; n < 10; n++) queue.add('shop/foo');
  await clock.advance(0);
  expect(started).toEqual(['shop/foo']);
});

test('a key that is added while it is handled is handled again afterwards, never at the same time', async () => {
  const { queue, clock, started, handler } = startQueue({ concurrency: 5 });
  queue.add('shop/foo');
  await clock.advance(0);
  queue.add('shop/foo');
  queue.add('shop/foo');
  await clock.advance(0);
  expect(started).toEqual(['shop/foo']);
  await handler('shop/foo').finish();
  expect(started).toEqual(['shop/foo', 'shop/foo']);
  await handler('shop/foo').finish();
  expect(started).toHaveLength(2);
});

test('no more keys are handled at a time than allowed', async () => {
  const { queue, clock, running, handler } = startQueue({ concurrency: 2 });
  for (const key of ['a/1', 'a/2', 'a/3']) queue.add(key);
  await clock.advance(0);
  expect([...running.keys()]).toEqual(['a/1', 'a/2']);
  await handler('a/1').finish();
  expect([...running.keys()]).toEqual(['a/2', 'a/3']);
});

test('a failing key comes back after longer and longer waits, and starts anew once it succeeded', async () => {
  const { queue, clock, started, handler } = startQueue();
  queue.add('shop/foo');
  await clock.advance(0);
  for (const [failures, wait] of [100, 200, 400, 800, 1_000, 1_000].entries()) {
    expect(handler('shop/foo').failures).toBe(failures);
    await handler('shop/foo').fail();
    const before = started.length;
    await clock.advance(wait - 1);
    expect(started).toHaveLength(before);
    await clock.advance(1);
    expect(started).toHaveLength(before + 1);
  }
  await handler('shop/foo').finish();
  queue.add('shop/foo');
  await clock.advance(0);
  expect(handler('shop/foo').failures).toBe(0);
});

test('news about a failing key does not wait', async () => {
  const { queue, clock, started, handler } = startQueue();
  queue.add('shop/foo');
  await clock.advance(0);
  await handler('shop/foo').fail();
  queue.add('shop/foo');
  await clock.advance(0);
  expect(started).toHaveLength(2);
  await handler('shop/foo').finish();
  await clock.advance(60_000);
  expect(started).toHaveLength(2);
});

test('a key comes back when its handler said, or earlier', async () => {
  const { queue, clock, started, handler } = startQueue();
  queue.add('shop/foo');
  await clock.advance(0);
  await handler('shop/foo').finish({ requeueAfterMs: 5_000 });
  queue.addAfter('shop/foo', 9_000);
  queue.addAfter('shop/foo', 3_000);
  await clock.advance(2_999);
  expect(started).toHaveLength(1);
  await clock.advance(1);
  expect(started).toHaveLength(2);
  await handler('shop/foo').finish();
  await clock.advance(60_000);
  expect(started).toHaveLength(2);
});

test('a drain lets handlers finish, starts nothing more and leaves no timer', async () => {
  const { queue, clock, started, handler } = startQueue();
  queue.add('shop/foo');
  queue.add('shop/bar');
  queue.addAfter('shop/later', 10);
  await clock.advance(0);
  const drained = queue.drain(1_000);
  queue.add('shop/new');
  await handler('shop/foo').finish({ requeueAfterMs: 1 });
  expect(await drained).toEqual({ unfinished: [] });
  await clock.advance(60_000);
  expect(started).toEqual(['shop/foo']);
  expect(clock.pending).toBe(0);
});

test('a drain that runs out of time tells the handlers and names what is unfinished', async () => {
  const { queue, clock, handler } = startQueue();
  queue.add('shop/foo');
  await clock.advance(0);
  const { signal } = handler('shop/foo');
  const drained = queue.drain(1_000);
  await clock.advance(999);
  expect(signal.aborted).toBe(false);
  await clock.advance(1);
  expect(signal.aborted).toBe(true);
  expect(await drained).toEqual({ unfinished: ['shop/foo'] });
});

test('the metrics tell how many keys wait, how long they waited and how often they failed', async () => {
  const { queue, clock, metrics, handler } = startQueue();
  queue.add('a/1');
  queue.add('a/2');
  queue.addAfter('a/3', 60_000);
  await clock.advance(2_000);
  expect(metrics.render()).toContain('trimtab_queue_keys{queue="configs",state="waiting"} 1');
  expect(metrics.render()).toContain('trimtab_queue_keys{queue="configs",state="later"} 1');
  expect(metrics.render()).toContain('trimtab_queue_keys{queue="configs",state="running"} 1');
  await handler('a/1').fail();
  expect(metrics.render()).toContain('trimtab_queue_retries_total{queue="configs"} 1');
  expect(metrics.render()).toContain('trimtab_queue_wait_seconds_sum{queue="configs"} 2');
  expect(metrics.render()).toContain('trimtab_queue_work_seconds_sum{queue="configs"} 2');
});

test('a key whose cache is stale is tried less and less often, until it is added', async () => {
  const { queue, clock, started, handler } = startQueue();
  queue.add('shop/foo');
  await clock.advance(0);
  for (const ms of [100, 200, 400]) {
    await handler('shop/foo').finish({ staleCache: true });
    await clock.advance(ms - 1);
    const before = started.length;
    await clock.advance(1);
    expect(started).toHaveLength(before + 1);
  }
  await handler('shop/foo').finish({ staleCache: true });
  queue.add('shop/foo');
  await clock.advance(0);
  expect(started).toHaveLength(5);
  await handler('shop/foo').finish();
  queue.add('shop/foo');
  await clock.advance(0);
  await handler('shop/foo').finish({ staleCache: true });
  await clock.advance(100);
  expect(started).toHaveLength(7);
});
