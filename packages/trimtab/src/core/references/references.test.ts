import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Container, PodTemplate, Volume } from '../../api/pod-template.ts';
import { findReferences, replaceReferences } from './references.ts';

const template: PodTemplate = {
  spec: {
    volumes: [
      { name: 'plain', configMap: { name: 'foo' } },
      { name: 'some', configMap: { name: 'foo', items: [{ key: 'a.conf', path: 'x/a.conf' }] } },
      { name: 'tls', secret: { secretName: 'cert', optional: true } },
      {
        name: 'mixed',
        projected: {
          sources: [
            { configMap: { name: 'foo' } },
            { secret: { name: 'cert', items: [{ key: 'tls.key', path: 'k' }] } },
          ],
        },
      },
    ],
    initContainers: [{ name: 'migrate', envFrom: [{ secretRef: { name: 'db' } }] }],
    containers: [
      {
        name: 'app',
        env: [
          { name: 'PLAIN', value: 'foo' },
          { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'foo', key: 'level' } } },
          { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password', optional: true } } },
        ],
        envFrom: [{ configMapRef: { name: 'foo', optional: true } }],
        volumeMounts: [{ name: 'plain', mountPath: '/etc/app.conf', subPath: 'app.conf' }],
      },
    ],
    ...{ imagePullSecrets: [{ name: 'foo' }, { name: 'cert' }] },
  },
};

test.each([
  ['a.conf', ['a.conf']],
  ['./a.conf', ['a.conf']],
  ['.//a.conf/', ['a.conf']],
  ['..data/a.conf', ['a.conf']],
  ['./', []],
  ['..data', []],
])('a mount of the file %s needs its key, however the path is written', (subPath, keys) => {
  const volumes = [{ name: 'v', configMap: { name: 'foo' } }];
  const volumeMounts = [{ name: 'v', mountPath: '/x', subPath }];
  const [found] = findReferences({ spec: { volumes, containers: [{ name: 'app', volumeMounts }] } });
  expect(found?.keys).toEqual(keys);
});

test('every place that names a ConfigMap or Secret is found, with what it needs of it', () => {
  const found = findReferences(template).map(({ kind, name, pointer, keys, optional }) => ({
    kind,
    name,
    pointer,
    keys,
    optional,
  }));
  expect(found).toEqual([
    {
      kind: 'ConfigMap',
      name: 'foo',
      pointer: '/spec/volumes/0/configMap/name',
      keys: ['app.conf'],
      optional: false,
    },
    {
      kind: 'ConfigMap',
      name: 'foo',
      pointer: '/spec/volumes/1/configMap/name',
      keys: ['a.conf'],
      optional: false,
    },
    { kind: 'Secret', name: 'cert', pointer: '/spec/volumes/2/secret/secretName', keys: [], optional: true },
    {
      kind: 'ConfigMap',
      name: 'foo',
      pointer: '/spec/volumes/3/projected/sources/0/configMap/name',
      keys: [],
      optional: false,
    },
    {
      kind: 'Secret',
      name: 'cert',
      pointer: '/spec/volumes/3/projected/sources/1/secret/name',
      keys: ['tls.key'],
      optional: false,
    },
    {
      kind: 'Secret',
      name: 'db',
      pointer: '/spec/initContainers/0/envFrom/0/secretRef/name',
      keys: [],
      optional: false,
    },
    {
      kind: 'ConfigMap',
      name: 'foo',
      pointer: '/spec/containers/0/env/1/valueFrom/configMapKeyRef/name',
      keys: ['level'],
      optional: false,
    },
    {
      kind: 'Secret',
      name: 'db',
      pointer: '/spec/containers/0/env/2/valueFrom/secretKeyRef/name',
      keys: ['password'],
      optional: true,
    },
    {
      kind: 'ConfigMap',
      name: 'foo',
      pointer: '/spec/containers/0/envFrom/0/configMapRef/name',
      keys: [],
      optional: true,
    },
  ]);
});

test('renaming reaches all of them, and leaves imagePullSecrets and plain values alone', () => {
  const renamed = replaceReferences(template, ({ kind, name }) =>
    kind === 'ConfigMap' && name === 'foo' ? 'foo-v2' : undefined,
  );
  expect(
    findReferences(renamed)
      .filter(({ kind }) => kind === 'ConfigMap')
      .every(({ name }) => name === 'foo-v2'),
  ).toBe(true);
  expect(findReferences(renamed).filter(({ kind }) => kind === 'Secret')).toEqual(
    findReferences(template).filter(({ kind }) => kind === 'Secret'),
  );
  expect(JSON.stringify(renamed)).toContain('"imagePullSecrets":[{"name":"foo"},{"name":"cert"}]');
  expect(JSON.stringify(renamed)).toContain('{"name":"PLAIN","value":"foo"}');
});

describe('for any template', () => {
  const name = fc.constantFrom('foo', 'bar', 'baz');
  const items = fc.option(fc.array(fc.record({ key: fc.string(), path: fc.string() })), { nil: undefined });
  const source = fc.record({ name, items, optional: fc.boolean() }, { requiredKeys: ['name'] });
  const volume = fc.oneof(
    source.map((configMap) => ({ configMap })),
    source.map(({ name: secretName, ...rest }) => ({ secret: { secretName, ...rest } })),
    fc
      .array(
        fc.oneof(
          source.map((configMap) => ({ configMap })),
          source.map((secret) => ({ secret })),
        ),
      )
      .map((sources) => ({ projected: { sources } })),
    fc.constant({ emptyDir: {} }),
  );
  const env = fc.oneof(
    fc.record({ name, value: fc.string() }),
    name.map((ref) => ({ name: 'A', valueFrom: { configMapKeyRef: { name: ref, key: 'k' } } })),
    name.map((ref) => ({ name: 'B', valueFrom: { secretKeyRef: { name: ref, key: 'k' } } })),
  );
  const envFrom = fc.oneof(
    name.map((ref) => ({ configMapRef: { name: ref } })),
    name.map((ref) => ({ secretRef: { name: ref } })),
  );
  const container = fc.record({ name, env: fc.array(env), envFrom: fc.array(envFrom) });
  const anyTemplate: fc.Arbitrary<PodTemplate> = fc
    .record({
      volumes: fc.array(volume),
      containers: fc.array(container),
      initContainers: fc.array(container),
    })
    .map((spec) => ({
      spec: {
        ...spec,
        volumes: spec.volumes.map((v, i) => ({ name: `v${i}`, ...v })) as Volume[],
        containers: spec.containers as Container[],
      },
    }));
  const toCopy = ({ name }: { name: string }) => (name === 'foo' ? 'foo-copy' : undefined);
  const toOriginal = ({ name }: { name: string }) => (name === 'foo-copy' ? 'foo' : undefined);

  test('replacing twice is replacing once', () => {
    fc.assert(
      fc.property(anyTemplate, (any) => {
        const once = replaceReferences(any, toCopy);
        expect(replaceReferences(once, toCopy)).toEqual(once);
      }),
    );
  });

  test('replacing can be reversed, to the letter', () => {
    fc.assert(
      fc.property(anyTemplate, (any) => {
        expect(replaceReferences(replaceReferences(any, toCopy), toOriginal)).toEqual(any);
      }),
    );
  });

  test('the template that went in stays as it was', () => {
    fc.assert(
      fc.property(anyTemplate, (any) => {
        const before = structuredClone(any);
        replaceReferences(any, toCopy);
        expect(any).toEqual(before);
      }),
    );
  });
});
