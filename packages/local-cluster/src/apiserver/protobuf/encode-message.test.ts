import { envelope, field, flag } from '@trimtab/test-bed/fakes/protobuf-body.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { objectToProtobuf, protobufToJson } from './envelope.ts';

const uid = '18d70527-7686-11e7-bfbd-8af1e3a7c5bd';

test('a ConfigMap has the bytes that Kubernetes stores, with empty fields that Go does not omit', () => {
  const bytes = objectToProtobuf({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    ...{
      metadata: {
        namespace: 'default',
        name: 'nginx-config',
        uid,
        creationTimestamp: '2017-08-01T06:53:17Z',
      },
      data: { b: 'worker_processes 1;\n', a: '' },
      binaryData: { c: 'AP8=' },
      immutable: true,
    },
  });
  const created = field(8, Buffer.from([8, 0xdd, 0xca, 0x80, 0xcc, 5, 16, 0]));
  const metadata = [
    ...[field(1, 'nginx-config'), field(2), field(3, 'default'), field(4), field(5, uid), field(6)],
    ...[flag(7, false), created],
  ];
  expect(bytes).toEqual(
    Buffer.concat([
      envelope(
        'v1',
        'ConfigMap',
        field(1, ...metadata),
        field(2, field(1, 'a'), field(2)),
        field(2, field(1, 'b'), field(2, 'worker_processes 1;\n')),
        field(3, field(1, 'c'), field(2, Buffer.from([0, 255]))),
        flag(4, true),
      ),
      field(3),
      field(4),
    ]),
  );
});

test('a kind without a protobuf definition has no bytes', () => {
  expect(objectToProtobuf({ apiVersion: 'shop.example/v1', kind: 'Widget' })).toBeUndefined();
});

const container = {
  name: 'app',
  image: 'nginx:1.9',
  ports: [{ containerPort: 80, protocol: 'TCP' }],
  env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'settings', key: 'a', optional: false } } }],
  envFrom: [{ configMapRef: { name: 'env-config' } }],
  resources: { limits: { memory: '1Gi' }, requests: { cpu: '100m' } },
  livenessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 10 },
  readinessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 5 },
  securityContext: { runAsUser: -1, capabilities: { drop: ['ALL'] } },
};

test.each([
  [
    'apps/v1',
    'Deployment',
    {
      spec: {
        replicas: 0,
        selector: { matchLabels: { run: 'my-nginx' } },
        template: {
          metadata: { labels: { run: 'my-nginx' } },
          spec: {
            containers: [container],
            volumes: [
              { name: 'v', configMap: { name: 'special-config', defaultMode: 420 } },
              { name: 'w', projected: { sources: [{ secret: { name: 's' } }], defaultMode: 256 } },
            ],
          },
        },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
      },
      status: { observedGeneration: 3, conditions: [{ type: 'Available', status: 'True' }] },
    },
  ],
  ['v1', 'Secret', { type: 'Opaque', data: { password: 'c2VjcmV0' } }],
  [
    'coordination.k8s.io/v1',
    'Lease',
    { spec: { holderIdentity: 'a', renewTime: '2026-01-02T03:04:05.000678Z', leaseDurationSeconds: 15 } },
  ],
  [
    'rbac.authorization.k8s.io/v1',
    'Role',
    { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
  ],
  ['apps/v1', 'ControllerRevision', { data: { spec: { a: [1, null] } }, revision: 7 }],
])('a %s %s comes back as it was, but for zero values', (apiVersion, kind, body) => {
  const managedFields = [
    { manager: 'm', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { '.': {} } } },
  ];
  const metadata = { name: 'x', creationTimestamp: '2026-01-02T03:04:05Z', generation: 2, managedFields };
  const object = { kind, apiVersion, metadata, ...body };
  expect(withoutZeros(decoded(object))).toEqual(withoutZeros(object));
});

test('the data of a ConfigMap comes back as it was, whatever it is', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })), (data) => {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data };
      expect((decoded(object) as { data?: object }).data ?? {}).toEqual(data);
    }),
  );
});

function decoded(object: { apiVersion: string; kind: string }): unknown {
  return JSON.parse(protobufToJson(objectToProtobuf(object) ?? Buffer.alloc(0)));
}

/** Protobuf has zero values where JSON has nothing. */
function withoutZeros(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutZeros);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]): [string, unknown] => [key, withoutZeros(each)])
      .filter(([, each]) => each !== null && each !== '' && each !== 0 && each !== false && !isEmpty(each)),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
