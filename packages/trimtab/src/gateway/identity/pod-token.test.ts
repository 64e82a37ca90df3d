import { expect, test } from 'vitest';
import { expiryOf, isPodToken } from './pod-token.ts';

const token = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;

test.each([
  [token({ aud: ['trimtab.dev'] }), true],
  [token({ aud: ['x', 'trimtab.dev'] }), true],
  [token({ aud: 'trimtab.dev' }), true],
  [token({ aud: ['https://kubernetes.default.svc'] }), false],
  [token({ aud: ['trimtab.dev.example.org'] }), false],
  [token({}), false],
  [token(null), false],
  [token('trimtab.dev'), false],
  ['e30.!!!.x', false],
  ['an opaque token of trimtab.dev', false],
  ['', false],
])('%s is meant for us: %s', (text, isOurs) => {
  expect(isPodToken(text)).toBe(isOurs);
});

test('a token says when it expires, or does not', () => {
  expect(expiryOf(token({ exp: 5 }))).toBe(5_000);
  expect(expiryOf(token({ exp: 'soon' }))).toBeUndefined();
  expect(expiryOf('opaque')).toBeUndefined();
});
