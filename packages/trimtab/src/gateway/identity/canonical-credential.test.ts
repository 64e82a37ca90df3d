import { expect, test } from 'vitest';
import { canonicalCredential, readToken } from './canonical-credential.ts';

const claims = (aud: string) => Buffer.from(JSON.stringify({ aud })).toString('base64url');
/** Its signature has 256 bytes, as that of a service account's token: 4 bits of its last character are unused. */
const signature = Buffer.alloc(256, 7).toString('base64url');
const podToken = `e30.${claims('trimtab.dev')}.${signature}`;
const userToken = `e30.${claims('https://kubernetes.default.svc')}.${signature}`;
const otherBits = (token: string) =>
  token.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1));
/** Node reads the bytes of a header as Latin-1. */
const asHeader = (text: string) => Buffer.from(text).toString('latin1');

test.each([
  ['Bearer TOK', 'Bearer TOK'],
  ['bearER TOK', 'Bearer TOK'],
  ['Bearer TOK 1', 'Bearer TOK'],
  ['Bearer TOK  a b', 'Bearer TOK'],
  [' \tBearer TOK\t ', 'Bearer TOK'],
  // The API server removes white space of Unicode at both ends.
  [asHeader('\u00a0\u3000Bearer TOK\u0085\u2028 \u205f'), 'Bearer TOK'],
  [asHeader('Bearer TOK\u00a0x'), asHeader('Bearer TOK\u00a0x')],
  [`Bearer ${userToken}`, `Bearer ${userToken}`],
  [`Bearer ${otherBits(userToken)} 1`, `Bearer ${userToken}`],
  [`bearer   ${otherBits(podToken)}  `, `Bearer ${podToken}`],
  // None of these authenticates anybody.
  [`Bearer  ${userToken}`, `Bearer  ${userToken}`],
  ['Bearer  TOK', 'Bearer  TOK'],
  ['Bearer\tTOK', 'Bearer\tTOK'],
  ['Bearer', 'Bearer'],
  ['Basic TOK', 'Basic TOK'],
  ['', ''],
])('%j is the credential %j', (authorization, credential) => {
  expect(canonicalCredential(authorization)).toBe(credential);
});

test.each([
  ['bearer TOK 1', 'TOK'],
  ['Bearer  TOK', undefined],
  ['Basic TOK', undefined],
  ['Bearer ', undefined],
])('the API server reads %j as the token %j', (authorization, token) => {
  expect(readToken(authorization)).toBe(token);
});

test('the length of the header does not matter', () => {
  // With a pattern for the spaces at its end, this would take minutes.
  expect(canonicalCredential(`Bearer TOK${' '.repeat(1_000_000)}x`)).toBe('Bearer TOK');
  expect(canonicalCredential(`Bearer TOK${asHeader('\u00a0').repeat(1_000_000)}`)).toBe('Bearer TOK');
});
