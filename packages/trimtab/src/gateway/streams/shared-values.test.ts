import { expect, test } from 'vitest';
import { SharedValues } from './shared-values.ts';

test('equal values are one object, also when many others come in between', () => {
  const values = new SharedValues((text) => ({ text }));
  const first = values.get('a');
  for (let n = 0; n < 900; n++) values.get(`other ${n}`);
  expect(values.get('a')).toBe(first);
  expect(first).toEqual({ text: 'a' });
});

test('a value that was not used for long is made again', () => {
  const values = new SharedValues((text) => ({ text }));
  const first = values.get('a');
  for (let n = 0; n < 1_000; n++) values.get(`other ${n}`);
  expect(values.get('a')).not.toBe(first);
  expect(values.get('a')).toEqual(first);
});
