import { expect, test } from 'vitest';
import type { SourceState } from '../files/file-set.ts';
import { acceptedResults, refusedResults } from './version-results.ts';

const source = (name: string, version?: string): SourceState => ({
  ...{ kind: 'ConfigMap', namespace: 'shop', name, resourceVersion: '1' },
  ...(version !== undefined && { version, object: `${name}-${version}` }),
});

test('all versions of an accepted set are acknowledged', () => {
  expect(acceptedResults([source('foo', '1.0.1'), source('bar')])).toEqual([
    { object: 'foo-1.0.1', version: '1.0.1', result: 'Acknowledged' },
    undefined,
  ]);
});

test('of a refused set, only versions that differ from the good ones are refused', () => {
  const sources = [source('foo', '1.0.1'), source('bar', '1.0.0')];
  const good = [source('foo', '1.0.0'), source('bar', '1.0.0')];
  expect(refusedResults(sources, good, 'no')).toEqual([
    { object: 'foo-1.0.1', version: '1.0.1', result: 'Refused', reason: 'no' },
    { object: 'bar-1.0.0', version: '1.0.0', result: 'Acknowledged' },
  ]);
  expect(refusedResults(sources, [], 'no').map((result) => result?.result)).toEqual(['Refused', 'Refused']);
});

test.each(['x', 'ä', '€', '😀'])(
  'a reason of many %s has at most 1 KiB, and no half character',
  (character) => {
    for (let extra = 0; extra < 4; extra++) {
      const [result] = refusedResults([source('foo', '1')], [], 'x'.repeat(extra) + character.repeat(2_000));
      const reason = result?.reason ?? '';
      expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(1_024);
      expect(Buffer.byteLength(reason)).toBeGreaterThan(1_015);
      expect(reason).toMatch(new RegExp(`^x*(${character})+…$`, 'u'));
    }
  },
);
