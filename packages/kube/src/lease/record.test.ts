import { expect, it } from 'vitest';
import { type Lease, microTime, readRecord, withRecord } from './record.ts';

const mine = { holder: 'me', durationMs: 1_500, acquireTime: 'a', renewTime: 'r', transitions: 2 };

it('reads what an election wrote', () => {
  const lease = withRecord({ metadata: { name: 'l' } }, { ...mine, durationMs: 15_000 });
  expect(readRecord(lease)).toEqual({ ...mine, durationMs: 15_000 });
});

it('keeps labels and fields that are not ours', () => {
  const lease: Lease = {
    metadata: { labels: { a: 'b' }, resourceVersion: '7' },
    spec: { strategy: 'Oldest' },
  };
  expect(withRecord(lease, mine)).toMatchObject({
    ...lease,
    spec: { strategy: 'Oldest', holderIdentity: 'me' },
  });
});

it('rounds the duration up: the API counts seconds', () => {
  expect(withRecord({ metadata: {} }, mine).spec).toMatchObject({ leaseDurationSeconds: 2 });
});

it.each([
  ['no spec', undefined],
  ['a null spec', null],
  ['odd types', { holderIdentity: 7, leaseDurationSeconds: '15', leaseTransitions: -3, renewTime: null }],
  ['impossible numbers', { leaseDurationSeconds: 0, leaseTransitions: 1.5 }],
])('reads a Lease with %s as held by nobody', (_story, spec) => {
  const lease: Lease = spec === undefined ? { metadata: {} } : { metadata: {}, spec };
  expect(readRecord(lease)).toEqual({
    holder: '',
    durationMs: undefined,
    acquireTime: '',
    renewTime: '',
    transitions: 0,
  });
});

it('writes times that differ although the clock stands still', () => {
  const at = Date.UTC(2026, 10, 15, 9, 30);
  expect(microTime(at, 1)).toBe('2026-11-15T09:30:00.000001Z');
  expect(microTime(at, 1_002)).toBe('2026-11-15T09:30:00.000002Z');
});
