import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import { usernames } from './authenticate.ts';
import type { Principal } from './principal.ts';

function bearer(token: string, impersonation: Record<string, string[]> = {}): Principal {
  return { is: 'bearer', headers: { authorization: `Bearer ${token}` }, impersonation };
}

function scene() {
  const clock = new ManualClock();
  const username = usernames(clock);
  let reviews = 0;
  const ask = (principal: Principal, answer: () => Promise<string>) =>
    username(principal, () => {
      reviews += 1;
      return answer();
    }).catch((error: unknown) => error);
  return { clock, ask, reviews: () => reviews };
}

const alice = async () => 'alice';

test('a burst of requests costs one review, and the answer holds for 10 s', async () => {
  const { clock, ask, reviews } = scene();
  const names = await Promise.all(Array.from({ length: 50 }, () => ask(bearer('a'), alice)));
  expect([new Set(names), reviews()]).toEqual([new Set(['alice']), 1]);
  await clock.advance(9_999);
  await ask(bearer('a'), alice);
  expect(reviews()).toBe(1);
  await clock.advance(1);
  await ask(bearer('a'), alice);
  expect(reviews()).toBe(2);
});

test('another token, or another impersonation, is another caller', async () => {
  const { ask, reviews } = scene();
  expect(await ask(bearer('a'), alice)).toBe('alice');
  expect(await ask(bearer('b'), async () => 'bob')).toBe('bob');
  expect(await ask(bearer('a', { 'impersonate-user': ['carol'] }), async () => 'carol')).toBe('carol');
  expect(reviews()).toBe(3);
});

test('a credential that is spelled in another way is the same caller, until its token expires', async () => {
  const { clock, ask, reviews } = scene();
  const claims = { exp: clock.now() / 1000 + 2 };
  const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
  for (const suffix of ['', ' 1', ' 2']) expect(await ask(bearer(`${token}${suffix}`), alice)).toBe('alice');
  expect(reviews()).toBe(1);
  await clock.advance(2_000);
  await ask(bearer(`${token} 3`), alice);
  expect(reviews()).toBe(2);
});

test('a refusal holds for 3 s', async () => {
  const { clock, ask, reviews } = scene();
  const refused = new ApiError(401, {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
    ...{ message: 'Unauthorized', reason: 'Unauthorized', code: 401 },
  });
  const refuse = () => Promise.reject(refused);
  expect([await ask(bearer('a'), refuse), await ask(bearer('a'), alice)]).toEqual([refused, refused]);
  await clock.advance(3_000);
  expect(await ask(bearer('a'), alice)).toBe('alice');
  expect(reviews()).toBe(2);
});

test('a failed request says nothing about the credentials', async () => {
  const { ask, reviews } = scene();
  const failed = new NetworkError('ECONNREFUSED', 'no', 'refused');
  expect(await ask(bearer('a'), () => Promise.reject(failed))).toBe(failed);
  expect(await ask(bearer('a'), alice)).toBe('alice');
  expect(reviews()).toBe(2);
});

test('an answer does not hold longer than the token', async () => {
  const { clock, ask, reviews } = scene();
  const claims = { exp: clock.now() / 1000 + 2 };
  const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
  await ask(bearer(token), alice);
  await clock.advance(2_000);
  await ask(bearer(token), alice);
  expect(reviews()).toBe(2);
});
