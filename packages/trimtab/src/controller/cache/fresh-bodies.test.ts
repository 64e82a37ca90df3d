import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import { FreshBodies } from './fresh-bodies.ts';

const body = (name: string, text: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name },
  data: { text },
});

test('content that has just come is handed out once, and only for its own hash', () => {
  const bodies = new FreshBodies(new ManualClock());
  bodies.put('ConfigMap', body('foo', 'one'), 'h1');
  expect(bodies.take('Secret', 'shop', 'foo', 'h1')).toBeUndefined();
  expect(bodies.take('ConfigMap', 'shop', 'foo', 'h2')).toBeUndefined();
  expect(bodies.take('ConfigMap', 'shop', 'foo', 'h1')).toEqual(body('foo', 'one'));
  expect(bodies.take('ConfigMap', 'shop', 'foo', 'h1')).toBeUndefined();
});

test('newer content takes the place of older', () => {
  const bodies = new FreshBodies(new ManualClock());
  bodies.put('ConfigMap', body('foo', 'one'), 'h1');
  bodies.put('ConfigMap', body('foo', 'two'), 'h2');
  expect(bodies.take('ConfigMap', 'shop', 'foo', 'h1')).toBeUndefined();
  expect(bodies.take('ConfigMap', 'shop', 'foo', 'h2')).toEqual(body('foo', 'two'));
});

test('it is not kept for long, and nothing is left behind', async () => {
  const clock = new ManualClock();
  const bodies = new FreshBodies(clock);
  bodies.put('ConfigMap', body('foo', 'one'), 'h1');
  await clock.advance(5_000);
  expect(bodies.take('ConfigMap', 'shop', 'foo', 'h1')).toBeUndefined();
  expect(clock.pending).toBe(0);
});

test('no more is kept than fits', () => {
  const bodies = new FreshBodies(new ManualClock());
  const large = 'x'.repeat(1024 * 1024);
  for (const name of ['a', 'b', 'c', 'd', 'e']) bodies.put('ConfigMap', body(name, large), name);
  const found = ['a', 'b', 'c', 'd', 'e'].filter((name) => bodies.take('ConfigMap', 'shop', name, name));
  expect(found).toEqual(['a', 'b', 'c']);
});
