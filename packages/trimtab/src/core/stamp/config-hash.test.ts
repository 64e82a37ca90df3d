import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { configHash } from './config-hash.ts';

const hashOf = (...files: string[]) => configHash(files.map((each) => Buffer.from(each)));
const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  b: c\n  d: "e"\n';

describe('the hash of a manifest', () => {
  test.each([
    ['a comment', `# new\n${config}`],
    ['the order and quotes', 'kind: ConfigMap\napiVersion: v1\ndata: {d: e, "b": c}\nmetadata: {name: a}\n'],
    ['a label', config.replace('{name: a}', '{name: a, labels: {x: y}}')],
    ['JSON', JSON.stringify({ kind: 'ConfigMap', metadata: { name: 'a' }, data: { d: 'e', b: 'c' } })],
    ['another object in the file', `${config}---\nkind: Deployment\nmetadata: {name: web}\n`],
    ['a List', `kind: List\nitems:\n- ${config.trim().replaceAll('\n', '\n  ')}\n`],
  ])('does not change with %s', (_, text) => {
    expect(hashOf(text)).toBe(hashOf(config));
  });

  test.each([
    ['a value', config.replace('c', 'x')],
    ['a key', config.replace('b:', 'x:')],
    ['the name', config.replace('name: a', 'name: x')],
    ['binary data', `${config}binaryData: {f: AP8=}\n`],
    ['a second config', `${config}---\nkind: ConfigMap\nmetadata: {name: x}\n`],
  ])('changes with %s', (_, text) => {
    expect(hashOf(text)).not.toBe(hashOf(config));
  });

  test('of a Secret is that of what the API server stores', () => {
    const secret = (body: string) => `kind: Secret\nmetadata: {name: s}\n${body}`;
    expect(hashOf(secret('stringData: {p: secret}'))).toBe(hashOf(secret('data: {p: c2VjcmV0}')));
    expect(hashOf(secret('stringData: {p: secret}'))).not.toBe(hashOf(secret('data: {p: eA==}')));
  });
});

test.each([
  ['properties', 'a=b\n'],
  ['a manifest without configs', 'kind: Deployment\n'],
  ['a template', 'data:\n  {{ if x }}\n  a: b\n'],
  [
    'too many aliases',
    `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${Array(50).fill('*a')}]\nc: [${Array(50).fill('*b')}]\n`,
  ],
])('of %s, all bytes count', (_, text) => {
  expect(hashOf(text)).toBe(createHash('sha256').update(text).digest('hex'));
  expect(hashOf(`# x\n${text}`)).not.toBe(hashOf(text));
});

test('several files have one hash, which depends on each', () => {
  expect(hashOf(config, 'a=b')).toMatch(/^[0-9a-f]{64}$/);
  expect(hashOf(config, 'a=b')).not.toBe(hashOf(config, 'a=c'));
  expect(hashOf(config, 'a=b')).toBe(hashOf(`# x\n${config}`, 'a=b'));
});
