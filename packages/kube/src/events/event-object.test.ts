import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToBytes, eventName, eventObject, type ObjectReference } from './event-object.ts';

const foo: ObjectReference = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'shop',
  name: 'foo',
  uid: 'u1',
};

function tallyOf(about: ObjectReference, message = 'it happened') {
  const firstMs = Date.UTC(2026, 10, 15, 9, 0, 0, 900);
  const counted = { count: 3, firstMs, lastMs: firstMs + 61_000, name: 'foo.abc' };
  return { about, type: 'Warning', reason: 'RolledBack', message, ...counted } as const;
}

it('is an Event as kubectl shows it', () => {
  expect(eventObject(tallyOf(foo), { component: 'test-controller', instance: 'pod-7' })).toEqual({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'foo.abc', namespace: 'shop' },
    involvedObject: foo,
    type: 'Warning',
    reason: 'RolledBack',
    message: 'it happened',
    count: 3,
    firstTimestamp: '2026-11-15T09:00:00Z',
    lastTimestamp: '2026-11-15T09:01:01Z',
    source: { component: 'test-controller' },
    reportingComponent: 'test-controller',
    reportingInstance: 'pod-7',
  });
});

it('lives in `default` when its object lives in no namespace', () => {
  const node = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
  const event = eventObject(tallyOf(node), { component: 'c', instance: 'i' });
  expect(event.metadata.namespace).toBe('default');
  expect(event.involvedObject).toEqual(node);
});

describe('its name', () => {
  it.each([
    ['foo', 'foo.0123456789abcdef'],
    ['a'.repeat(253), `${'a'.repeat(236)}.0123456789abcdef`],
    [`${'a'.repeat(235)}-${'b'.repeat(17)}`, `${'a'.repeat(235)}.0123456789abcdef`],
    ['system:controller', '0123456789abcdef'],
    ['Upper', '0123456789abcdef'],
  ])('of an object called %s', (name, expected) => {
    expect(eventName({ ...foo, name }, '0123456789abcdef')).toBe(expected);
  });
});

describe('a long message', () => {
  it('keeps what fits, and shows that it was cut', () => {
    expect(cutToBytes('x'.repeat(1025), 1024)).toBe(`${'x'.repeat(1021)}…`);
    expect(cutToBytes('x'.repeat(1024), 1024)).toBe('x'.repeat(1024));
  });

  it('is never cut in the middle of a character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: 3, max: 80 }),
        (text, max) => {
          const cut = cutToBytes(text, max);
          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
          if (Buffer.byteLength(text) <= max) {
            expect(cut).toBe(text);
            return;
          }
          expect(text.startsWith(cut.slice(0, -1))).toBe(true);
          // At most one character more than necessary is cut.
          expect(Buffer.byteLength(cut)).toBeGreaterThan(max - 4);
        },
      ),
    );
  });
});
