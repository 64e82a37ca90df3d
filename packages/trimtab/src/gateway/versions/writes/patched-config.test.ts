import { expect, test } from 'vitest';
import { appliedManifest } from './applied-manifest.ts';
import { patchedConfig } from './patched-config.ts';

const live = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'foo', labels: { team: 'red' } },
  data: { a: '1', b: '2' },
  binaryData: { c: 'Yw==' },
};

test.each([
  ['nothing', {}, { a: '1', b: '2' }],
  ['a key', { data: { a: '3' } }, { a: '3', b: '2' }],
  ['a new key', { data: { d: '3' } }, { a: '1', b: '2', d: '3' }],
  ['a removed key', { data: { a: null, z: null } }, { b: '2' }],
  ['no data at all', { data: null }, undefined],
  ['a directive to delete', { data: { $patch: 'delete' } }, undefined],
  ['a directive to replace', { data: { $patch: 'replace', d: '3' } }, { d: '3' }],
  ['keys to keep', { data: { $retainKeys: ['b', 'd'], d: '3' } }, { b: '2', d: '3' }],
  [
    'keys with a meaning in JavaScript',
    JSON.parse('{"data":{"__proto__":"x","a":null,"b":null}}'),
    JSON.parse('{"__proto__":"x"}'),
  ],
  ['what is no map', { data: 7 }, 7],
])('a patch with %s', (_, patch, data) => {
  const patched = patchedConfig('ConfigMap', live, patch);
  expect(patched['data']).toEqual(data);
  expect(patched['binaryData']).toEqual({ c: 'Yw==' });
});

test('only metadata that the patch names, and no directive, is in the result', () => {
  const patch = {
    metadata: { name: 'foo' },
    '$setElementOrder/x': [],
    data: { $patch: 'replace' },
    binaryData: null,
  };
  expect(patchedConfig('ConfigMap', live, patch)).toEqual({ metadata: { name: 'foo' }, data: {} });
});

test('texts of a Secret stay beside its data, and its type stays', () => {
  const secret = { ...live, kind: 'Secret', type: 'example.com/login', data: { a: 'MQ==' } };
  const { binaryData: _, ...rest } = secret;
  expect(patchedConfig('Secret', rest, { stringData: { a: '2', b: null } })).toEqual({
    type: 'example.com/login',
    data: { a: 'MQ==' },
    stringData: { a: '2' },
  });
});

const key = 'kubectl.kubernetes.io/last-applied-configuration';
const manifest = { metadata: { name: 'foo', version: '1.1' }, data: { a: '1' } };
const applied = { metadata: { name: 'foo' }, data: { a: '1' } };
const text = JSON.stringify(manifest);

test.each(['9007199254740993', '1', '-3', 'true'])(
  'the manifest of kubectl apply is found by its unquoted version %s',
  (version) => {
    const unquoted = text.replace('"1.1"', version);
    const patch = { metadata: { annotations: { [key]: unquoted } } };
    expect(appliedManifest({ patch, live, version })).toEqual(applied);
  },
);

test('kubectl apply sends its manifest, or leaves it as the live config has it', () => {
  const patch = { metadata: { annotations: { [key]: text } }, data: { b: null } };
  expect(appliedManifest({ patch, live, version: '1.1' })).toEqual(applied);
  const again = { ...live, metadata: { annotations: { [key]: text } } };
  expect(appliedManifest({ patch: {}, live: again, version: '1.1' })).toEqual(applied);
  expect(appliedManifest({ patch: { data: { a: '1' } }, live: again, version: '1.1' })).toEqual(applied);
});

test('the manifest may have the version without quotes', () => {
  const patch = { metadata: { annotations: { [key]: text.replace('"1.1"', '1.1') } } };
  expect(appliedManifest({ patch, live, version: '1.1' })).toEqual(applied);
});

test.each([
  ['another version', { [key]: text }, '1.2'],
  ['no JSON', { [key]: '{' }, '1.1'],
  ['no object', { [key]: '[]' }, '1.1'],
  ['no annotation', {}, '1.1'],
  ['a version that cannot be shown', { [key]: '{"metadata":{"version":{"toString":1}}}' }, '1.1'],
])('a patch with a manifest of %s is a patch like any other', (_, annotations, version) => {
  const patch = { metadata: { annotations } };
  expect(appliedManifest({ patch, live, version })).toBeUndefined();
});

test.each([
  ['another value', { data: { a: '2' } }],
  ['another key', { data: { b: '1' } }],
  ['a removed key', { data: { a: null } }],
  ['no data at all', { data: null }],
  ['a directive', { data: { $patch: 'replace', a: '1' } }],
  ['a key with a meaning in JavaScript', { data: { constructor: '1' } }],
])('a patch with %s, without the annotation, is not of kubectl apply', (_, patch) => {
  const again = { ...live, metadata: { annotations: { [key]: text } } };
  expect(appliedManifest({ patch, live: again, version: '1.1' })).toBeUndefined();
});
