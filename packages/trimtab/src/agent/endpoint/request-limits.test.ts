import { expect, test } from 'vitest';
import { RequestLimits } from './request-limits.ts';

test('after 20 failures at once, ten a second are compared', () => {
  const limits = new RequestLimits();
  const fail = (now: number) => {
    limits.requireFewFailures(now);
    limits.countFailure(now);
  };
  for (let i = 0; i < 20; i++) fail(0);
  expect(() => fail(0)).toThrow(
    expect.objectContaining({
      status: 429,
      message: 'Too many requests with a wrong token or without one; retry after 1 s',
      headers: { 'retry-after': '1' },
    }),
  );
  expect(() => fail(99)).toThrow();
  fail(100);
  expect(() => fail(100)).toThrow();
  for (let i = 0; i < 10; i++) fail(1_100);
  expect(() => fail(1_100)).toThrow();
});

test('checks alone do not use up the limit', () => {
  const limits = new RequestLimits();
  for (let i = 0; i < 1_000; i++) limits.requireFewFailures(0);
});

test('after 200 requests at once, a hundred a second are answered', () => {
  const limits = new RequestLimits();
  for (let i = 0; i < 200; i++) limits.countRequest(0);
  expect(() => limits.countRequest(0)).toThrow(/^Rate limit of the endpoint exceeded.*retry after 1 s$/);
  for (let i = 0; i < 100; i++) limits.countRequest(1_000);
  expect(() => limits.countRequest(1_000)).toThrow();
});
