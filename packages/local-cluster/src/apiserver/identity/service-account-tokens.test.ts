import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { issuer, TokenSigner } from './service-account-tokens.ts';

const pem = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
const signer = new TokenSigner(pem());
const bound = { namespace: 'shop', serviceaccount: { name: 'robot', uid: 'u' } };
const token = signer.issue(bound, { audiences: [issuer], expirationSeconds: 600, now: 1_000_000 });

test('a token says whose it is, for whom and until when', () => {
  expect(signer.read(token)).toMatchObject({
    sub: 'system:serviceaccount:shop:robot',
    aud: [issuer],
    iat: 1_000,
    exp: 1_600,
    'kubernetes.io': bound,
  });
});

test('a token of another server is none', () => {
  expect(new TokenSigner(pem()).read(token)).toBeUndefined();
});

test('a token in which one character was changed is none, nor is any other text', () => {
  const places = fc.integer({ min: 0, max: token.length - 1 });
  fc.assert(
    fc.property(places, fc.constantFrom('A', 'b', '-', '.', '0'), (at, character) => {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      // The last character of a part has unused bits: a text that decodes to the same bytes is the same token.
      const isSame = Buffer.from(changed.split('.')[2] ?? '', 'base64url').equals(
        Buffer.from(token.split('.')[2] ?? '', 'base64url'),
      );
      const isUntouched = changed.split('.').slice(0, 2).join('.') === token.split('.').slice(0, 2).join('.');
      if (isSame && isUntouched) return;
      expect(signer.read(changed)).toBeUndefined();
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => signer.read(text) === undefined));
});
