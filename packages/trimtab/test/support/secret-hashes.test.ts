import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { contentHash } from '../../src/core/version/content-hash.ts';
import { shortHash } from '../../src/core/version/object-names.ts';
import { SecretHashes } from './secret-hashes.ts';

const encoded = Buffer.from('letmein').toString('base64');
const type = 'Opaque';
const data = { password: encoded };
const hash = contentHash({ type, data });

const hashes = new SecretHashes();
hashes.add({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' }, type, data });

test.each([
  ['the content hash of versions', hash],
  ['its first characters', hash.slice(0, 10)],
  ['its base64', Buffer.from(hash, 'hex').toString('base64')],
  ['a short hash of the content hash', shortHash(hash)],
  ['a short hash of the canonical form', shortHash(JSON.stringify([type, [['password', encoded]], []]))],
  ['a hash of the value', createHash('sha256').update('letmein').digest('hex')],
  ['a short hash of the encoded value', shortHash(encoded)],
])('finds %s in a text', (_, held) => {
  expect(hashes.in(`{"status":{"x":"sha256:${held}-1"}}`)).toContain('Secret db');
});

test('finds nothing in a text that only names the Secret', () => {
  expect(hashes.in(`{"object":"db-${shortHash('["uid","1.0.0"]')}","version":"1.0.0"}`)).toBeUndefined();
});
