import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Container, KeyToPath, PodSpec, Volume, VolumeMount } from '../../api/pod-template.ts';
import { grantedKeys, unionOfKeys } from './granted-keys.ts';

test('each way of using a config grants what the kubelet gives', () => {
  const spec: PodSpec = {
    volumes: [
      { name: 'whole', configMap: { name: 'whole' } },
      { name: 'not-mounted', secret: { secretName: 'not-mounted' } },
      { name: 'no-items', configMap: { name: 'no-items', items: [] } },
      { name: 'items', configMap: { name: 'items', items: [{ key: 'b', path: 'x' }] } },
      { name: 'tls', secret: { secretName: 'tls', items: [{ key: 'tls.crt', path: 'tls.crt' }] } },
      {
        name: 'mixed',
        projected: {
          sources: [
            { configMap: { name: 'items', items: [{ key: 'a', path: 'y' }] } },
            { secret: { name: 'projected' } },
          ],
        },
      },
    ],
    initContainers: [
      {
        name: 'sidecar',
        restartPolicy: 'Always',
        env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'db', key: 'user' } } }],
      },
    ],
    containers: [
      {
        name: 'app',
        env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'db', key: 'password', optional: true } } }],
        envFrom: [{ configMapRef: { name: 'env' } }],
        volumeMounts: ['whole', 'no-items', 'items', 'tls', 'mixed'].map((name) => ({
          name,
          mountPath: name,
        })),
      },
    ],
    ephemeralContainers: [
      {
        name: 'debug',
        env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'items', key: 'c' } } }],
      },
    ],
  };
  expect(Object.fromEntries(grantedKeys(spec))).toEqual({
    'ConfigMap/whole': 'all',
    'Secret/not-mounted': [],
    'ConfigMap/no-items': 'all',
    'ConfigMap/items': ['a', 'b', 'c'],
    'Secret/tls': ['tls.crt'],
    'Secret/projected': 'all',
    'Secret/db': ['password', 'user'],
    'ConfigMap/env': 'all',
  });
});

describe('a volume that containers mount by subPath grants', () => {
  const granted = (
    mounts: object[],
    { items, debug = [] }: { items?: KeyToPath[]; debug?: object[] } = {},
  ) => {
    const mounted = (list: object[]) =>
      list.map((each) => ({ name: 'v', mountPath: '/x', ...each })) as VolumeMount[];
    const spec: PodSpec = {
      volumes: [{ name: 'v', secret: { secretName: 'foo', ...(items && { items }) } }],
      containers: [{ name: 'app', volumeMounts: mounted(mounts) }],
      ephemeralContainers: [{ name: 'debug', volumeMounts: mounted(debug) }],
    };
    return grantedKeys(spec).get('Secret/foo');
  };
  const items = [
    { key: 'a', path: 'conf/a.conf' },
    { key: 'b', path: 'conf/b.conf' },
    { key: 'c', path: 'c' },
    { key: 'd', path: './deep//./d' },
  ];

  test.each([
    ['the keys of these files', [{ subPath: 'a' }, { subPath: './b/' }], ['a', 'b']],
    ['all keys, with a mount of the whole volume', [{ subPath: 'a' }, {}], 'all'],
    ['all keys, by a path that is the whole volume', [{ subPath: './' }], 'all'],
    ['all keys, by a folder of the kubelet', [{ subPath: '..data' }], 'all'],
    ['all keys, by another folder of the kubelet', [{ subPath: '..2026_05_04_09_12_31.1/' }], 'all'],
    [
      'the key of a file in a folder of the kubelet',
      [{ subPath: '..data/a' }, { subPath: './..x//b' }],
      ['a', 'b'],
    ],
    ['all keys, by a path that only the kubelet knows', [{ subPathExpr: '$(KEY)' }], 'all'],
    ['the key of an expression without a variable', [{ subPathExpr: 'a' }], ['a']],
    [
      'nothing, by a path that is no key',
      [{ subPath: 'a/b' }, { subPath: '..data/a/b' }, { subPath: 'ü' }],
      [],
    ],
    ['nothing, when no container mounts it', [{ name: 'other', subPath: 'a' }], []],
  ])('%s', (_, mounts, keys) => {
    expect(granted(mounts)).toEqual(keys);
  });

  test.each([
    ['the items with these paths', [{ subPath: 'conf/a.conf' }, { subPath: 'c' }], ['a', 'c']],
    ['the items of a folder', [{ subPath: 'conf' }], ['a', 'b']],
    [
      'the items with these paths, however they are written',
      [{ subPath: 'deep/d' }, { subPath: './c/' }],
      ['c', 'd'],
    ],
    ['the items in a folder of the kubelet', [{ subPath: '..data/conf/a.conf' }], ['a']],
    [
      'nothing, by a path that no item has',
      [{ subPath: 'a' }, { subPath: 'c/x' }, { subPath: '..data/x' }],
      [],
    ],
    ['all items, with a mount of the whole volume', [{}], ['a', 'b', 'c', 'd']],
    ['all items, by the folder of the kubelet', [{ subPath: '..data' }], ['a', 'b', 'c', 'd']],
    ['nothing, when no container mounts it', [{ name: 'other' }], []],
  ])('%s', (_, mounts, keys) => {
    expect(granted(mounts, { items })).toEqual(keys);
  });

  test('all keys, once a debug container mounts the whole volume', () => {
    expect(granted([{ subPath: 'a' }], { debug: [{}] })).toBe('all');
  });
});

test('Secrets that only the node uses grant nothing', () => {
  const name = 'hidden';
  const spec = {
    imagePullSecrets: [{ name }],
    volumes: [
      { name: 'a', csi: { driver: 'x', nodePublishSecretRef: { name } } },
      { name: 'b', flexVolume: { driver: 'x', secretRef: { name } } },
      { name: 'c', cephfs: { monitors: [], secretRef: { name } } },
      { name: 'd', rbd: { monitors: [], image: 'x', secretRef: { name } } },
      { name: 'e', iscsi: { iqn: 'x', secretRef: { name } } },
      { name: 'f', storageos: { secretRef: { name } } },
      { name: 'g', scaleIO: { gateway: 'x', secretRef: { name } } },
      { name: 'h', azureFile: { shareName: 'x', secretName: name } },
    ],
    containers: [{ name: 'app' }],
  };
  expect([...grantedKeys(spec)]).toEqual([]);
});

/** One way of using the config `foo`: where it stands in a spec, and the keys that a container gets by it. */
interface Use {
  add(
    spec: Required<Pick<PodSpec, 'volumes' | 'containers' | 'initContainers' | 'ephemeralContainers'>>,
  ): void;
  keys: 'all' | string[];
}

const someKeys = fc.array(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 3 });
const asItems = (keys: string[]): KeyToPath[] => keys.map((key) => ({ key, path: key }));
const places = ['containers', 'initContainers', 'ephemeralContainers'] as const;
const inVolume = (volume: (items: KeyToPath[] | undefined) => Omit<Volume, 'name'>) =>
  fc
    .record({
      keys: fc.option(someKeys, { nil: undefined }),
      mountedIn: fc.option(fc.constantFrom(...places), { nil: undefined }),
    })
    .map(
      ({ keys, mountedIn }): Use => ({
        add(spec) {
          const name = `v${spec.volumes.length}`;
          spec.volumes.push({ name, ...volume(keys && asItems(keys)) });
          if (mountedIn !== undefined)
            spec[mountedIn].push({ name: `m-${name}`, volumeMounts: [{ name, mountPath: '/x' }] });
        },
        keys: mountedIn === undefined ? [] : keys === undefined || keys.length === 0 ? 'all' : keys,
      }),
    );
const inContainer = (part: Omit<Container, 'name'>, keys: Use['keys']) =>
  fc.constantFrom(...places).map(
    (place): Use => ({
      add: (spec) => spec[place].push({ name: `c${spec[place].length}`, ...part }),
      keys,
    }),
  );
const withItems = (items: KeyToPath[] | undefined) => ({ name: 'foo', ...(items && { items }) });
const use: fc.Arbitrary<Use> = fc.oneof(
  inVolume((items) => ({ configMap: withItems(items) })),
  inVolume((items) => ({ projected: { sources: [{ configMap: withItems(items) }] } })),
  fc
    .string({ minLength: 1, maxLength: 3 })
    .chain((key) =>
      inContainer({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'foo', key } } }] }, [key]),
    ),
  inContainer({ envFrom: [{ configMapRef: { name: 'foo' } }] }, 'all'),
);

test('for any pod, the keys of all uses of a config together are granted, and no others', () => {
  fc.assert(
    fc.property(fc.array(use, { minLength: 1, maxLength: 6 }), (uses) => {
      const spec = { volumes: [], containers: [], initContainers: [], ephemeralContainers: [] };
      for (const each of uses) each.add(spec);
      const expected = uses.some(({ keys }) => keys === 'all')
        ? 'all'
        : [...new Set(uses.flatMap(({ keys }) => keys))].sort();
      expect([...grantedKeys(spec)]).toEqual([['ConfigMap/foo', expected]]);
    }),
  );
});

test('a union with all keys is all keys', () => {
  expect(unionOfKeys([['b'], ['a', 'b']])).toEqual(['a', 'b']);
  expect(unionOfKeys([['b'], 'all'])).toBe('all');
  expect(unionOfKeys([])).toEqual([]);
});
