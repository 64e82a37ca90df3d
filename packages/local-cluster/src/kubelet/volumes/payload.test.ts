import { expect, test } from 'vitest';
import type { Pod } from '../../objects/pod.ts';
import { messageOf } from '../configs/config-problem.ts';
import type { Config } from '../configs/read-config.ts';
import { digestOf, volumePayload } from './volume-payload.ts';

const configOf = (files: Record<string, string | Buffer>): Config => ({
  texts: new Map(),
  files: new Map(Object.entries(files).map(([key, data]) => [key, Buffer.from(data)])),
  isImmutable: false,
});
const configs: Record<string, Config> = {
  'configmap/shop/colours': configOf({ colour: 'green', picture: Buffer.from([0xff, 0]) }),
  'secret/shop/login': configOf({ user: 'ann', password: 's3cret' }),
};
const pod: Pod = {
  metadata: { name: 'cart-x', namespace: 'shop', uid: 'u-1', labels: { app: 'cart', tier: 'b' } },
  spec: { containers: [{ name: 'app', resources: { limits: { cpu: '1500m' } } }] },
};

const sources = {
  pod,
  allocatable: { cpu: '2', memory: '1Gi' },
  read: (kind: string, namespace: string, name: string) =>
    Promise.resolve(configs[`${kind}/${namespace}/${name}`]),
  token: ({ audience = 'none' }) => Promise.resolve(`token for ${audience}`),
};

/** `mode text` by path. */
async function shown(volume: object): Promise<Record<string, string> | undefined> {
  const payload = await volumePayload({ name: 'v', ...volume }, sources);
  return (
    payload &&
    Object.fromEntries(
      [...payload].map(([where, { data, mode }]) => [
        where,
        `${mode.toString(8)} ${data.toString('latin1')}`,
      ]),
    )
  );
}

test('every key of a ConfigMap is a file, binary ones as they are', async () => {
  expect(await shown({ configMap: { name: 'colours', defaultMode: 0o600 } })).toEqual({
    colour: '600 green',
    picture: '600 \xff\0',
  });
});

test('items choose keys, paths and modes', async () => {
  const items = [
    { key: 'user', path: 'who/name' },
    { key: 'password', path: 'pw', mode: 0o400 },
  ];
  expect(await shown({ secret: { secretName: 'login', items, defaultMode: 0o644 } })).toEqual({
    'who/name': '644 ann',
    pw: '400 s3cret',
  });
});

test('what is optional may be missing: the config, or a key of it', async () => {
  expect(await shown({ configMap: { name: 'nope', optional: true } })).toEqual({});
  const items = [
    { key: 'colour', path: 'c' },
    { key: 'nope', path: 'n' },
  ];
  expect(await shown({ configMap: { name: 'colours', optional: true, items } })).toEqual({ c: '644 green' });
});

test('the pod itself can be shown: its labels, its limits', async () => {
  const items = [
    { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
    { path: 'cpu', resourceFieldRef: { containerName: 'app', resource: 'limits.cpu' }, mode: 0o444 },
    { path: 'memory', resourceFieldRef: { containerName: 'app', resource: 'limits.memory', divisor: '1Mi' } },
  ];
  expect(await shown({ downwardAPI: { items } })).toEqual({
    labels: '644 app="cart"\ntier="b"',
    cpu: '444 2',
    memory: '644 1024',
  });
});

test('a projected volume joins its sources, and the later one wins', async () => {
  const projected = {
    defaultMode: 0o640,
    sources: [
      { configMap: { name: 'colours', items: [{ key: 'colour', path: 'same' }] } },
      { secret: { name: 'login', items: [{ key: 'user', path: 'same' }] } },
      { serviceAccountToken: { path: 'token', audience: 'vault' } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
    ],
  };
  expect(await shown({ projected })).toEqual({
    same: '640 ann',
    token: '640 token for vault',
    namespace: '640 shop',
  });
});

test('a volume that programs fill has nothing to write', async () => {
  expect(await shown({ emptyDir: {} })).toBeUndefined();
});

test('payloads that show other files have other digests, however their parts are cut', () => {
  const of = (...files: [string, string, number?][]) =>
    digestOf(new Map(files.map(([where, text, mode = 0o644]) => [where, { data: Buffer.from(text), mode }])));
  expect(of(['a', '1'], ['b', '2'])).toBe(of(['a', '1'], ['b', '2']));
  const others = [
    of(['a', '1']),
    of(['a', '12']),
    of(['a', '1'], ['b', '3']),
    of(['a', '1', 0o600], ['b', '2']),
  ];
  expect(new Set([of(['a', '1'], ['b', '2']), of(['a', '']), of(), ...others]).size).toBe(7);
});

test.each([
  [{ configMap: { name: 'nope' } }, 'configmap "nope" not found'],
  [{ secret: { secretName: 'nope' } }, 'secret "nope" not found'],
  [
    { configMap: { name: 'colours', items: [{ key: 'x', path: 'x' }] } },
    'configmap references non-existent config key: x',
  ],
  [
    { secret: { secretName: 'login', items: [{ key: 'x', path: 'x' }] } },
    'references non-existent secret key: x',
  ],
  [{ projected: { sources: [{ secret: { name: 'nope' } }] } }, 'secret "nope" not found'],
  [
    { projected: { sources: [{ secret: { name: 'nope' } }, { configMap: { name: 'none' } }] } },
    '[secret "nope" not found, configmap "none" not found]',
  ],
  [
    { downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'spec.nodeName' } }] } },
    'unsupported fieldPath: spec.nodeName',
  ],
])('%j is refused in the words of Kubernetes', async (volume, message) => {
  const error = await volumePayload({ name: 'v', ...volume }, sources).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(messageOf(error)).toBe(message);
});
