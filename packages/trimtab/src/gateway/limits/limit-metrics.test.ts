import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { expect, test } from 'vitest';
import { BodyBudget } from './body-budget.ts';
import { CallerSlots } from './caller-slots.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { limitMetrics } from './limit-metrics.ts';
import { ReviewSlots } from './review-slots.ts';
import { Turns } from './turns.ts';
import { UnsentBudget } from './unsent-budget.ts';

function scene() {
  const registry = createRegistry();
  const turns = new Turns();
  const reviewSlots = new ReviewSlots({ running: 2, runningPerAddress: 1, waitingPerAddress: 10 });
  limitMetrics(registry, {
    inFlight: new ConcurrencyLimit('requests', 1),
    streams: new ConcurrencyLimit('streams', 1),
    budget: new BodyBudget(),
    slots: new CallerSlots(),
    unsent: new UnsentBudget(),
    turns,
    reviewSlots,
  });
  const value = (name: string) => {
    const [, found] = new RegExp(`^${name} (\\d+)$`, 'm').exec(registry.render()) ?? [];
    return Number(found);
  };
  return { turns, reviewSlots, value };
}

test('an operator sees how many requests wait for the CPU, of all callers', async () => {
  const { turns, value } = scene();
  const waiting = () => value('trimtab_gateway_turns_waiting');
  expect(waiting()).toBe(0);
  const left = new AbortController();
  const busy = [turns.take('busy'), turns.take('busy'), turns.take('other')];
  const leaving = turns.take('busy', left.signal);
  expect(waiting()).toBe(4);
  left.abort();
  await expect(leaving).rejects.toThrow();
  expect(waiting(), 'a client that left does not wait').toBe(3);
  await Promise.all(busy);
  expect(waiting()).toBe(0);
});

test('an operator sees how many pod tokens wait for their review, of all addresses', async () => {
  const { reviewSlots, value } = scene();
  const waiting = () => value('trimtab_gateway_token_reviews_waiting');
  expect(waiting()).toBe(0);
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  const { signal } = new AbortController();
  const review = (address: string) => reviewSlots.run(address, signal, () => answer);
  const reviews = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.3'].map(review);
  expect(waiting(), 'one of each of the two first addresses runs').toBe(3);
  resolve();
  await Promise.all(reviews);
  expect(waiting()).toBe(0);
});
