import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeToken, encodeToken } from './continue-token.ts';

test('a token comes back as it was', () => {
  const name = fc.stringMatching(/^[a-z0-9][-a-z0-9.]{0,20}[a-z0-9]$/);
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.array(name, { minLength: 1, maxLength: 2 }), (revision, parts) => {
      const token = { revision, after: parts.join('/') };
      expect(decodeToken(encodeToken(token))).toEqual(token);
    }),
  );
});

const encoded = (token: object) => Buffer.from(JSON.stringify(token)).toString('base64url');

test.each([
  [
    'abc',
    "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
  ],
  ['!!', 'invalid continue token: continue key is not valid: illegal base64 data at input byte 0'],
  [encoded({ v: 'v9', rv: 1, start: 'a' }), 'server does not recognize this encoded version v9'],
  [encoded({ v: 'meta.k8s.io/v1', rv: 1, start: '' }), 'encoded start key empty'],
  [
    encoded({ v: 'meta.k8s.io/v1', rv: 1, start: '../../secrets/x' }),
    'continue key is not valid: ../../secrets/x',
  ],
])('%s is refused: %s', (text, message) => {
  expect(() => decodeToken(text)).toThrow(message);
});
