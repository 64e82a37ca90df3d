import { expect, test } from 'vitest';
import { StatusError } from '../answer/status-error.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';

function codeOf(work: () => unknown): number {
  try {
    work();
    return 200;
  } catch (error) {
    if (error instanceof StatusError) return error.body.code;
    throw error;
  }
}

test('a credential has a quarter, an address a half, and the gateway a limit', () => {
  const inFlight = new ConcurrencyLimit('requests', 8);
  const enter = (address: string, credential?: string) => codeOf(() => inFlight.enter(address, credential));
  expect([enter('a', 'x'), enter('a', 'x'), enter('a', 'x')]).toEqual([200, 200, 429]);
  expect([enter('a', 'made-up-1'), enter('a', 'made-up-2'), enter('a', 'made-up-3')]).toEqual([
    200, 200, 429,
  ]);
  expect([enter('b'), enter('b'), enter('b')]).toEqual([200, 200, 429]);
  expect([enter('c'), enter('c'), enter('d', 'y')]).toEqual([200, 200, 503]);
  expect(inFlight.size).toBe(8);
});

test('a request that is done makes room, and a refused one takes none', () => {
  const inFlight = new ConcurrencyLimit('requests', 4);
  const leave = inFlight.enter('a', 'x');
  expect(codeOf(() => inFlight.enter('a', 'x'))).toBe(429);
  leave();
  expect(inFlight.size).toBe(0);
  expect(codeOf(() => inFlight.enter('a', 'x'))).toBe(200);
});

test.each([
  ['requests', 'credential', 'Too many requests of this credential are in progress; retry after 1 s'],
  [
    'streams',
    'credential',
    'Too many watches and other streams of this credential are open; close some of them, or retry after 5 s',
  ],
  ['requests', 'total', 'Too many requests are in progress on the gateway; retry after 1 s'],
  ['streams', 'total', 'Too many watches and other streams are open on the gateway; retry after 5 s'],
] as const)('a refusal for %s says which limit of the %s is reached and what to do', (kind, by, message) => {
  const limit = new ConcurrencyLimit(kind, 4);
  const callers = by === 'total' ? ['a', 'b', 'c', 'd'] : ['x'];
  for (const caller of callers) limit.enter(caller, caller);
  expect(() => limit.enter('x', 'x')).toThrow(message);
});
