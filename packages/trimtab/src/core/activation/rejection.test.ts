import { describe, expect, test } from 'vitest';
import type { ConfigKey } from '../references/config-key.ts';
import { formatRejections, isBlocked, parseRejections, type RejectedSet } from './rejection.ts';

const set = (entries: Record<string, string>): RejectedSet =>
  new Map(Object.entries(entries) as [ConfigKey, string][]);
const wanting = (entries: Record<string, string>) => (config: ConfigKey) => entries[config];
const pair = set({ 'ConfigMap/a': 'a2', 'Secret/b': 'b2' });

describe('content that failed', () => {
  test('is not tried again while the whole set is wanted as it was', () => {
    expect(isBlocked([pair], wanting({ 'ConfigMap/a': 'a2', 'Secret/b': 'b2' }))).toBe(true);
  });

  test('is tried again as soon as one of the set wants something else', () => {
    expect(isBlocked([pair], wanting({ 'ConfigMap/a': 'a2', 'Secret/b': 'b3' }))).toBe(false);
    expect(isBlocked([pair], wanting({ 'ConfigMap/a': 'a2' }))).toBe(false);
  });

  test('alone is not tried again because something else of the workload changes', () => {
    expect(
      isBlocked([set({ 'ConfigMap/a': 'a2' })], wanting({ 'ConfigMap/a': 'a2', 'Secret/b': 'b3' })),
    ).toBe(true);
  });

  test('in two sets is blocked by either', () => {
    const rejections = [pair, set({ 'ConfigMap/a': 'a2', 'Secret/b': 'b3' })];
    expect(isBlocked(rejections, wanting({ 'ConfigMap/a': 'a2', 'Secret/b': 'b3' }))).toBe(true);
    expect(isBlocked(rejections, wanting({ 'ConfigMap/a': 'a2', 'Secret/b': 'b4' }))).toBe(false);
  });
});

test('rejections survive being written on a version', () => {
  expect(parseRejections(formatRejections([pair], 'web-1 crashed'))).toEqual({
    reason: 'web-1 crashed',
    sets: [pair],
  });
});

test.each([undefined, '', '{}', 'null', '{"reason":1,"sets":[]}'])('%j rejects nothing', (text) => {
  expect(parseRejections(text)).toBeUndefined();
});
