import { describe, expect, test } from 'vitest';
import { bearerToken, isPodToken } from './pod-token.ts';
import { ownerPrincipal, principalOf } from './principal-of.ts';

const certificate = { commonName: 'alice', organizations: [], isVerified: true, validUntil: 1 };
const principal = (rawHeaders: string[], shown = false) =>
  principalOf({ rawHeaders, certificate: shown ? certificate : undefined }, 0);

describe('who asks', () => {
  test('is whom a token says, with the impersonation beside it', () => {
    const raw = ['Authorization', 'Bearer x', 'Impersonate-Group', 'a', 'impersonate-group', 'b'];
    expect(principal(raw)).toEqual({
      is: 'bearer',
      headers: { authorization: 'Bearer x' },
      impersonation: { 'impersonate-group': ['a', 'b'] },
    });
  });

  test('is nobody without a credential: the cluster decides what nobody may', () => {
    expect(principal([])).toEqual({ is: 'bearer', headers: {}, impersonation: {} });
  });

  test('is whom a certificate says, unless there is a token', () => {
    expect(principal([], true)).toMatchObject({ is: 'certificate', user: 'alice' });
    expect(principal(['Authorization', 'Bearer x'], true)).toMatchObject({ is: 'bearer' });
  });

  test.each([
    ['without a credential', false],
    ['with a certificate, which we vouch for', true],
  ])('cannot be somebody else %s', (_, shown) => {
    expect(() => principal(['Impersonate-User', 'root'], shown)).toThrow('requires an Authorization header');
    expect(() => principal(['Impersonate-Extra-a', 'b'], shown)).toThrow('requires an Authorization header');
  });

  test('cannot hide the token from us and keep the impersonation', () => {
    const raw = ['Authorization', 'Bearer x', 'Connection', 'authorization', 'Impersonate-User', 'root'];
    expect(() => principal(raw, true)).toThrow('requires an Authorization header');
  });
});

test('on a laptop everybody is the owner, and nobody else', () => {
  expect(ownerPrincipal({ rawHeaders: ['Authorization', 'Bearer x'] })).toEqual({ is: 'owner' });
  expect(() => ownerPrincipal({ rawHeaders: ['impersonate-user', 'root'] })).toThrow(
    'impersonate-user is not allowed',
  );
});

describe('a token is a pod’s for us', () => {
  const token = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

  test.each([
    [{ aud: ['trimtab.dev'] }, true],
    [{ aud: 'trimtab.dev' }, true],
    [{ aud: ['https://kubernetes.default.svc'] }, false],
    [{ aud: { 'trimtab.dev': 1 } }, false],
    [{}, false],
    [null, false],
    ['trimtab.dev', false],
  ])('%j: %s', (claims, expected) => {
    expect(isPodToken(token(claims))).toBe(expected);
  });

  test('what is no JWT is not', () => {
    for (const text of ['', 'abc', 'a.b.c', '..', 'a.e30']) expect(isPodToken(text)).toBe(false);
  });

  test('the scheme is read as API servers read it', () => {
    expect(bearerToken('Bearer abc')).toBe('abc');
    expect(bearerToken('bearer  abc')).toBe('abc');
    for (const other of [undefined, 'Basic abc', 'Bearer', 'Bearer a b'])
      expect(bearerToken(other)).toBeUndefined();
  });
});
