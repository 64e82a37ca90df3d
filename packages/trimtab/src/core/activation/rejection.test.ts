import { describe, expect, test } from 'vitest';
import type { ConfigKey } from '../references/config-key.ts';
import { formatRejection, parseRejection, type RejectedSet, wasTried, withRejectedSet } from './rejection.ts';

const set = (entries: Record<string, string>): RejectedSet =>
  new Map(Object.entries(entries) as [ConfigKey, string][]);
const pair = set({ 'ConfigMap/a': '1.0.2', 'Secret/b': '1.0.2' });
const alone = set({ 'ConfigMap/a': '1.0.2' });

describe('versions that failed', () => {
  test('were tried when exactly they failed together', () => {
    expect(wasTried([alone, pair], set({ 'Secret/b': '1.0.2', 'ConfigMap/a': '1.0.2' }))).toBe(true);
  });

  test('were not tried alone because they failed together, nor the other way round', () => {
    expect(wasTried([pair], alone)).toBe(false);
    expect(wasTried([alone], pair)).toBe(false);
    expect(wasTried([pair], set({ 'ConfigMap/a': '1.0.2', 'Secret/b': '1.0.3' }))).toBe(false);
  });

  test('are noted once each, and the oldest of many is forgotten', () => {
    const twice = withRejectedSet(withRejectedSet(undefined, pair, { reason: 'a' }), pair, { reason: 'b' });
    expect(twice).toEqual({ reason: 'b', sets: [pair] });
    let many = twice;
    for (let n = 0; n < 10; n += 1)
      many = withRejectedSet(many, set({ 'ConfigMap/a': `2.0.${n}` }), { reason: 'c' });
    expect(many.sets).toHaveLength(10);
    expect(wasTried(many.sets, pair)).toBe(false);
  });

  test('are never forgotten to have failed alone, however often a neighbour failed with them', () => {
    let rejection = withRejectedSet(undefined, alone, { reason: 'a' });
    for (let n = 0; n < 20; n += 1) {
      const joint = set({ 'ConfigMap/a': '1.0.2', 'Secret/b': `1.0.${n}` });
      rejection = withRejectedSet(rejection, joint, { reason: 'b' });
    }
    expect(rejection.sets).toHaveLength(10);
    expect(wasTried(rejection.sets, alone)).toBe(true);
  });
});

test.each([
  { reason: 'web-1 crashed', sets: [pair, alone], activation: 'a-1' },
  { reason: 'undone', sets: [alone], aborted: true as const },
])('a rejection survives being written on a version', (rejection) => {
  expect(parseRejection(formatRejection(rejection))).toEqual(rejection);
});

test.each([undefined, '', '{}', 'null', '{"reason":1,"sets":[]}'])('%j rejects nothing', (text) => {
  expect(parseRejection(text)).toBeUndefined();
});
