import { expect, test } from 'vitest';
import { expandedSize } from './expanded-size.ts';

test('what occurs many times counts each time, and is visited once', () => {
  const text = 'x'.repeat(1_000);
  let value: unknown = { text };
  for (let level = 0; level < 60; level++) value = [value, value];
  const { length, depth } = expandedSize(value);
  expect(length).toBeGreaterThan(2 ** 60 * text.length);
  expect(depth).toBe(61);
});

test('keys count, and a value that contains itself has no end', () => {
  expect(expandedSize({ ['k'.repeat(100)]: null }).length).toBeGreaterThan(100);
  const loop: unknown[] = [];
  loop.push([loop]);
  expect(expandedSize(loop).length).toBe(Number.POSITIVE_INFINITY);
});
