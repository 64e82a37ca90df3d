import { describe, expect, test } from 'vitest';
import { keyOf, readEvent } from './read-event.ts';

const metadata = { namespace: 'shop', name: 'foo', resourceVersion: '7' };

describe('a line of a watch', () => {
  test.each([
    ['ADDED', false],
    ['MODIFIED', false],
    ['DELETED', true],
  ])('%s is about an object', (type, deleted) => {
    const object = { metadata };
    expect(readEvent({ type, object })).toEqual({
      kind: 'object',
      deleted,
      key: 'shop/foo',
      version: '7',
      object,
    });
  });

  test('a bookmark may end the initial events', () => {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const read = (extra: object) =>
      readEvent({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9', ...extra } } });
    expect(read({})).toEqual({ kind: 'bookmark', version: '9', initialEventsEnd: false });
    expect(read({ annotations })).toEqual({ kind: 'bookmark', version: '9', initialEventsEnd: true });
  });

  test('an error has the code of its Status, and 500 when it has none', () => {
    const status = { kind: 'Status', code: 429, details: { retryAfterSeconds: 3 } };
    expect(readEvent({ type: 'ERROR', object: status })).toEqual({
      kind: 'error',
      code: 429,
      retryAfterSeconds: 3,
    });
    expect(readEvent({ type: 'ERROR', object: {} })).toEqual({ kind: 'error', code: 500 });
  });

  test.each([
    ['nothing', null],
    ['a list', []],
    ['a word', 'ADDED'],
    ['an event without an object', { type: 'ADDED' }],
    ['an object without metadata', { type: 'ADDED', object: {} }],
    ['an object without a name', { type: 'ADDED', object: { metadata: { resourceVersion: '7' } } }],
    ['an object without a version', { type: 'MODIFIED', object: { metadata: { name: 'foo' } } }],
    ['a bookmark without a version', { type: 'BOOKMARK', object: { metadata: {} } }],
    ['a type of the future', { type: 'RENAMED', object: { metadata } }],
  ])('%s is unreadable', (_, line) => {
    expect(readEvent(line)).toEqual({ kind: 'unreadable' });
  });
});

test('the key of an object without a namespace is its name', () => {
  expect(keyOf({ metadata: { name: 'node-1' } })).toBe('node-1');
});
