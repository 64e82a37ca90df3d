import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, expect, test } from 'vitest';
import type { Outcome } from '../../core/notification/outcome.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import type { PostResponse } from './post.ts';
import type { Target } from './targets.ts';

const target: Target = {
  ...{ name: 'chat', url: new URL('https://hooks.example/x'), format: 'cloudevents', timeoutMs: 1_000 },
  ...{ signingKeys: [], namespaces: undefined, outcomes: undefined, ca: undefined },
};
const outcome = (id: string): Outcome => ({
  ...{
    id,
    outcome: 'current',
    time: '2026-01-01T00:00:00Z',
    rollout: 'configmap-foo',
    reason: 'VersionCurrent',
  },
  config: { kind: 'ConfigMap', namespace: 'shop', name: 'foo' },
  ...{ version: '1.0.1', previous: '1.0.0', activation: 'abc-1', by: undefined },
  ...{ durationSeconds: 5, workloads: 1 },
});

const queues: DeliveryQueue[] = [];
afterEach(() => {
  for (const queue of queues.splice(0)) queue.close();
});

/** `answers` are used in order, then 200. */
function start(...answers: (number | PostResponse | Error)[]) {
  const clock = new ManualClock();
  const sent: { id: string; at: number }[] = [];
  const counted: string[] = [];
  const settled: string[] = [];
  const queue = new DeliveryQueue(target, undefined, {
    ...{ clock, log: silentLogger, random: () => 1 },
    count: (_, result) => counted.push(result),
    onSettled: (_, { id }) => settled.push(id),
    send: async ({ body }) => {
      sent.push({ id: JSON.parse(body).id, at: clock.monotonic() });
      const answer = answers.shift() ?? 200;
      if (answer instanceof Error) throw answer;
      return typeof answer === 'number' ? { status: answer, retryAfter: undefined } : answer;
    },
  });
  queues.push(queue);
  return { clock, sent, counted, settled, queue };
}

test('a receiver that fails is tried again after growing delays, and the order is kept', async () => {
  const { clock, sent, counted, settled, queue } = start(503, new Error('reset'), 500);
  queue.add(outcome('a'));
  queue.add(outcome('b'));
  await clock.advance(0);
  expect(queue.pending).toEqual({ target: 'chat', count: 2, oldestSeconds: 0 });
  await clock.advance(60_000);
  expect(sent.map(({ id }) => id)).toEqual(['a', 'a', 'a', 'a', 'b']);
  expect(sent.map(({ at }) => at)).toEqual([0, 1_000, 3_000, 7_000, 7_000]);
  expect(counted).toEqual(['retried', 'retried', 'retried', 'delivered', 'delivered']);
  expect(settled).toEqual(['a', 'b']);
  expect(queue.pending.count).toBe(0);
  expect(clock.pending).toBe(0);
});

test('Retry-After is honoured', async () => {
  const { clock, sent, queue } = start({ status: 429, retryAfter: '120' });
  queue.add(outcome('a'));
  await clock.advance(119_000);
  expect(sent).toHaveLength(1);
  await clock.advance(2_000);
  expect(sent).toHaveLength(2);
});

test('a notification that its receiver rejects is not repeated, and the next one is sent', async () => {
  const { clock, sent, counted, queue } = start(410);
  queue.add(outcome('a'));
  queue.add(outcome('b'));
  await clock.advance(0);
  expect(sent.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(counted).toEqual(['rejected', 'delivered']);
});

test('after an hour of failures, notifications are given up', async () => {
  const { clock, counted, settled, queue } = start(...Array.from({ length: 100 }, () => 503));
  queue.add(outcome('a'));
  await clock.advance(30 * 60_000);
  expect(queue.pending.oldestSeconds).toBe(1_800);
  queue.add(outcome('b'));
  await clock.advance(40 * 60_000);
  expect(settled).toEqual(['a']);
  expect(counted).toContain('expired');
  expect(queue.pending.count).toBe(1);
});

test('a thousand notifications wait; more replace the oldest', async () => {
  const { clock, counted, settled, queue } = start(...Array.from({ length: 100 }, () => 503));
  for (let i = 0; i <= 1_000; i += 1) queue.add(outcome(`id-${i}`));
  await clock.advance(0);
  expect(queue.pending.count).toBe(1_000);
  expect(settled).toEqual(['id-0']);
  expect(counted).toContain('dropped');
});

test('a target that was corrected is tried at once', async () => {
  const { clock, sent, queue } = start(503, 503, 503, 503, 503);
  queue.add(outcome('a'));
  await clock.advance(20_000);
  const before = sent.length;
  queue.replace({ ...target, url: new URL('https://hooks.example/y') }, undefined);
  await clock.advance(0);
  expect(sent).toHaveLength(before + 1);
});

test('an outcome that arrives just as the last one was delivered is sent, too', async () => {
  for (let hops = 0; hops < 12; hops += 1) {
    const { clock, counted, queue } = start();
    queue.add(outcome('a'));
    for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
    queue.add(outcome('b'));
    await clock.advance(0);
    expect(counted, `${hops} microtasks later`).toEqual(['delivered', 'delivered']);
  }
});
