import { describe, expect, test } from 'vitest';
import { isDryRun, waitMs, watchQuery } from './query.ts';

const query = (text: string) => new URLSearchParams(text);

describe('wait', () => {
  test.each([
    ['', undefined],
    ['wait=60s', 60_000],
    ['wait=1m30s', 90_000],
    ['wait=10m', 600_000],
  ])('%s', (text, ms) => {
    expect(waitMs(query(text))).toBe(ms);
  });

  test.each(['wait=', 'wait=60', 'wait=0s', 'wait=11m', 'wait=-1s', 'wait=1h', 'wait=1e3s'])(
    '%s is refused',
    (text) => {
      expect(() => waitMs(query(text))).toThrow(/must be a duration of at most 10m/);
    },
  );
});

describe('dryRun', () => {
  test.each([
    ['', false],
    ['dryRun=', false],
    ['dryRun=All', true],
  ])('%s', (text, dry) => {
    expect(isDryRun(query(text))).toBe(dry);
  });

  test('a value that Kubernetes does not know is refused, so that nothing is written by mistake', () => {
    expect(() => isDryRun(query('dryRun=all'))).toThrow(/dryRun=All/);
    expect(() => isDryRun(query('dryRun=All&dryRun=None'))).toThrow(/dryRun=All/);
  });
});

describe('watch', () => {
  const plain = { bookmarks: false, from: undefined, timeoutSeconds: undefined };

  test.each([
    ['', undefined],
    ['watch=false', undefined],
    ['watch=0', undefined],
    ['watch', plain],
    ['watch=1', plain],
    ['watch=true&resourceVersion=0', plain],
    ['watch=true&resourceVersion=17&allowWatchBookmarks=true', { ...plain, from: '17', bookmarks: true }],
    ['watch=true&timeoutSeconds=5', { ...plain, timeoutSeconds: 5 }],
  ])('%s', (text, expected) => {
    expect(watchQuery(query(text))).toEqual(expected);
  });

  test.each(['watch=1&resourceVersion=x', 'watch=1&resourceVersion=-1', 'watch=1&timeoutSeconds=soon'])(
    '%s is refused',
    (text) => {
      expect(() => watchQuery(query(text))).toThrow();
    },
  );
});
