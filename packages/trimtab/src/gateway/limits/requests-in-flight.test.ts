import { expect, test } from 'vitest';
import { StatusError } from '../answer/status-error.ts';
import { RequestsInFlight } from './requests-in-flight.ts';

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
  const inFlight = new RequestsInFlight(8);
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
  const inFlight = new RequestsInFlight(4);
  const leave = inFlight.enter('a', 'x');
  expect(codeOf(() => inFlight.enter('a', 'x'))).toBe(429);
  leave();
  expect(inFlight.size).toBe(0);
  expect(codeOf(() => inFlight.enter('a', 'x'))).toBe(200);
});
