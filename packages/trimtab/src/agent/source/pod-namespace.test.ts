import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { podNamespace } from './pod-namespace.ts';

let folder: string;
let token: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-namespace-'));
  token = join(folder, 'token');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.AAAA\n`;

test('is that of the variable, or else that of the token', () => {
  writeFileSync(token, jwt({ 'kubernetes.io': { namespace: 'shop' } }));
  expect(podNamespace(token, {})).toBe('shop');
  expect(podNamespace(token, { POD_NAMESPACE: '' })).toBe('shop');
  expect(podNamespace(token, { POD_NAMESPACE: 'other' })).toBe('other');
});

test.each(['', 'not a token', 'a.b.c', jwt({}), jwt({ 'kubernetes.io': { namespace: 3 } })])(
  'is required of the token %j',
  (text) => {
    writeFileSync(token, text);
    expect(() => podNamespace(token, {})).toThrow('has no claim of a namespace. Set POD_NAMESPACE');
  },
);

test('needs a token file', () => {
  expect(() => podNamespace(token, {})).toThrow(`The token file ${token} cannot be read.`);
});
