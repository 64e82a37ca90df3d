import { describe, expect, test } from 'vitest';
import type { Incoming } from './read-event.ts';
import { stepInitial, stepStream } from './stream-step.ts';

const changed = (version: string): Incoming => event(version, false);
const deleted = (version: string): Incoming => event(version, true);
const bookmark = (version: string, initialEventsEnd = false): Incoming => ({
  kind: 'bookmark',
  version,
  initialEventsEnd,
});
const error = (code: number): Incoming => ({ kind: 'error', code });

function event(version: string, isDeleted: boolean): Incoming {
  const object = { metadata: { name: 'foo', resourceVersion: version } };
  return { kind: 'object', deleted: isDeleted, key: 'foo', version, object };
}

describe('a line of a stream whose mark is 100', () => {
  test.each([
    ['a change of a cached object', changed('101'), '90', { do: 'put', mark: '101' }],
    ['a new object', changed('101'), undefined, { do: 'put', mark: '101' }],
    ['a number with more digits is greater', changed('1000'), '99', { do: 'put', mark: '1000' }],
    ['a deletion', deleted('101'), '90', { do: 'remove', mark: '101' }],
    ['a deletion of what is not there', deleted('101'), undefined, { do: 'advance', mark: '101' }],
    ['a change that a sync already brought', changed('101'), '101', { do: 'advance', mark: '101' }],
    ['a change older than what a sync brought', changed('101'), '102', { do: 'advance', mark: '101' }],
    ['a deletion before it was made anew', deleted('101'), '102', { do: 'advance', mark: '101' }],
    ['a bookmark ahead', bookmark('150'), undefined, { do: 'advance', mark: '150' }],
    ['a bookmark behind', bookmark('50'), undefined, { do: 'ignore' }],
    ['a change told twice', changed('90'), '90', { do: 'ignore' }],
    ['an old change of an object that has moved on', changed('80'), '90', { do: 'ignore' }],
    ['a deletion told twice', deleted('90'), undefined, { do: 'ignore' }],
    ['a deletion of an earlier object of that name', deleted('80'), '90', { do: 'ignore' }],
    ['a change that comes too late', changed('95'), '90', { do: 'relist', cause: 'out-of-order' }],
    ['a deletion that comes too late', deleted('95'), '90', { do: 'relist', cause: 'out-of-order' }],
    ['a stale change after a deletion', changed('95'), undefined, { do: 'relist', cause: 'out-of-order' }],
    ['a deletion at the very version we have', deleted('90'), '90', { do: 'relist', cause: 'out-of-order' }],
    ['a version that is no number', changed('x7'), '90', { do: 'relist', cause: 'incomparable' }],
    ['an empty version', changed(''), '90', { do: 'relist', cause: 'incomparable' }],
    ['a version with a leading zero', bookmark('0101'), undefined, { do: 'relist', cause: 'incomparable' }],
    [
      'a line that is no event',
      { kind: 'unreadable' } as Incoming,
      undefined,
      { do: 'relist', cause: 'unreadable' },
    ],
    ['the history is compacted', error(410), undefined, { do: 'relist', cause: 'gone' }],
    ['another error', error(500), undefined, { do: 'fail', code: 500 }],
  ])('%s', (_, incoming, cached, expected) => {
    expect(stepStream('100', incoming, cached)).toEqual(expected);
  });

  test('a mark that is no number is good for nothing', () => {
    expect(stepStream('abc', changed('101'), undefined)).toEqual({ do: 'relist', cause: 'incomparable' });
  });
});

describe('a line before the initial events have ended', () => {
  test.each([
    ['an object', changed('7'), undefined, { do: 'put' }],
    ['a newer version of it', changed('9'), '7', { do: 'put' }],
    ['an older version of it', changed('7'), '9', { do: 'ignore' }],
    ['its deletion', deleted('9'), '7', { do: 'remove' }],
    ['a stale change after its deletion', changed('7'), '9', { do: 'ignore' }],
    ['an ordinary bookmark', bookmark('20'), undefined, { do: 'ignore' }],
    ['the bookmark that ends them', bookmark('20', true), undefined, { do: 'synced', mark: '20' }],
    ['the history is compacted', error(410), undefined, { do: 'relist', cause: 'gone' }],
    ['another error', error(504), undefined, { do: 'fail', code: 504 }],
  ])('%s', (_, incoming, seen, expected) => {
    expect(stepInitial(incoming, seen)).toEqual(expected);
  });
});
