import { expect, test } from 'vitest';
import { protobufToJson } from '../apiserver/protobuf/envelope.ts';
import type { StoredKeys } from '../store/stored-keys.ts';
import { printKeys } from './print-keys.ts';

const key = '/registry/configmaps/default/nginx-config';
const conf = 'worker_processes 1;\n\nevents { worker_connections 1024; }\n';

function answerWith(...items: StoredKeys['items']): StoredKeys {
  return { items, revision: 29, cluster: '18d70527-7686-11e7-bfbd-8af1e3a7c5bd' };
}

const configMap = {
  ...{ key, revision: 14, createRevision: 12, version: 2 },
  value: JSON.stringify({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'nginx-config', namespace: 'default', resourceVersion: '14' },
    data: { 'nginx.conf': conf },
  }),
};
const widget = {
  ...{ key: '/registry/shop.example/widgets/default/w', revision: 20, createRevision: 20, version: 1 },
  value: JSON.stringify({
    kind: 'Widget',
    apiVersion: 'shop.example/v1',
    metadata: { name: 'w', resourceVersion: '20' },
  }),
};

const options = { format: 'json', keysOnly: false, valuesOnly: false } as const;

test('json has a header, and keys and values in base64', () => {
  const text = printKeys(answerWith(configMap), options).toString();
  expect(text).toMatch(
    /^{"header":{"cluster_id":\d{10,20},"member_id":\d{10,20},"revision":29,"raft_term":2},"kvs":\[{"key":"L3JlZ2lzdHJ5L2NvbmZpZ21hcHMvZGVmYXVsdC9uZ2lueC1jb25maWc=","create_revision":12,"mod_revision":14,"version":2,"value":"azhzAAoPCgJ2MRIJQ29uZmlnTWFw[^"]+"}\],"count":1}\n$/,
  );
  const value = Buffer.from(JSON.parse(text).kvs[0].value, 'base64');
  // Decoded, the value shows the file with its line breaks.
  expect(value.toString()).toContain(conf);
  expect(JSON.parse(protobufToJson(value))).toMatchObject({
    metadata: { name: 'nginx-config', namespace: 'default', resourceVersion: '' },
    data: { 'nginx.conf': conf },
  });
});

test('the ids of a cluster stay the same, and are different for another', () => {
  const header = (cluster: string) =>
    /"header":{[^}]*}/.exec(printKeys({ ...answerWith(), cluster }, options).toString())?.[0];
  expect(header('a')).toBe(header('a'));
  expect(header('a')).not.toBe(header('b'));
});

test('a custom resource is JSON, without its resourceVersion', () => {
  expect(printKeys(answerWith(widget), { ...options, format: 'simple' }).toString()).toBe(
    `${widget.key}\n{"kind":"Widget","apiVersion":"shop.example/v1","metadata":{"name":"w"}}\n\n`,
  );
});

test('simple prints a line with the key, and the value', () => {
  const print = (more: object) =>
    printKeys(answerWith(configMap, widget), { ...options, format: 'simple', ...more }).toString();
  expect(print({})).toMatch(
    new RegExp(`^${key}\nk8s\\0[\\s\\S]*${RegExp.escape(conf)}[\\s\\S]*\n${widget.key}\n{[\\s\\S]*}\n\n$`),
  );
  expect(print({ keysOnly: true })).toBe(`${key}\n\n${widget.key}\n\n`);
  expect(print({ valuesOnly: true })).toMatch(/^k8s\0[\s\S]*\n{[\s\S]*}\n\n$/);
});

test('keys without values are also in json', () => {
  const { kvs, count } = JSON.parse(
    printKeys(answerWith(configMap, widget), { ...options, keysOnly: true }).toString(),
  );
  expect(count).toBe(2);
  expect(kvs[0]).toEqual({ key: btoa(key), create_revision: 12, mod_revision: 14, version: 2 });
});

test('fields prints a line per field, with bytes as Go quotes them', () => {
  const lines = printKeys(answerWith(configMap), { ...options, format: 'fields' })
    .toString()
    .split('\n');
  expect(lines.slice(2)).toEqual([
    '"Revision" : 29',
    '"RaftTerm" : 2',
    `"Key" : "${key}"`,
    '"CreateRevision" : 12',
    '"ModRevision" : 14',
    '"Version" : 2',
    expect.stringMatching(/^"Value" : "k8s\\x00\\n\\x0f\\n\\x02v1\\x12\\tConfigMap.*processes 1;\\n\\n/),
    '"Lease" : 0',
    '"More" : false',
    '"Count" : 1',
    '',
  ]);
});

test('no key: nothing but the header', () => {
  expect(printKeys(answerWith(), options).toString()).toMatch(/^{"header":{[^}]+}}\n$/);
  expect(printKeys(answerWith(), { ...options, format: 'simple' })).toHaveLength(0);
});
