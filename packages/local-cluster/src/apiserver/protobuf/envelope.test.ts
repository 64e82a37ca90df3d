import { envelope, field, flag } from '@trimtab/test-bed/fakes/protobuf-body.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { protobufToJson } from './envelope.ts';
import { ProtobufProblem } from './wire.ts';

test('a ConfigMap as kubectl sends it becomes its JSON', () => {
  const metadata = field(1, Buffer.concat([field(1, 'foo'), field(8, '')]));
  const data = field(2, Buffer.concat([field(1, 'a'), field(2, 'b')]));
  const binary = field(3, Buffer.concat([field(1, 'c'), field(2, Buffer.from([0, 255]))]));
  const immutable = Buffer.from([4 << 3, 1]);
  const body = envelope('v1', 'ConfigMap', Buffer.concat([metadata, data, binary, immutable]));
  expect(JSON.parse(protobufToJson(body))).toEqual({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'foo', creationTimestamp: null },
    data: { a: 'b' },
    binaryData: { c: 'AP8=' },
    immutable: true,
  });
});

test('what JSON has in one place, protobuf may have in two', () => {
  const source = field(
    2,
    field(19, Buffer.concat([field(1, field(1, 'settings')), Buffer.from([3 << 3, 0xa4, 0x03])])),
  );
  const volume = field(1, Buffer.concat([field(1, 'v'), source]));
  const body = envelope('v1', 'Pod', field(2, volume));
  expect(JSON.parse(protobufToJson(body))).toMatchObject({
    spec: { volumes: [{ name: 'v', configMap: { name: 'settings', defaultMode: 420 } }] },
  });
});

test('a schema of a CustomResourceDefinition that is one of two things is what JSON says', () => {
  const string = field(5, 'string');
  const property = (name: string, ...schema: Buffer[]) => field(29, field(1, name), field(2, ...schema));
  const schema = [
    property('list', field(24, field(1, string)), field(42, 'set')),
    property('closed', field(30, flag(1, false))),
    property('map', field(30, flag(1, true), field(2, string))),
  ];
  const version = field(7, field(1, 'v1'), field(4, field(1, ...schema)));
  const body = envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', field(2, version));
  expect(JSON.parse(protobufToJson(body)).spec.versions[0].schema.openAPIV3Schema.properties).toEqual({
    list: { items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    closed: { additionalProperties: false },
    map: { additionalProperties: { type: 'string' } },
  });
});

test('bytes that are no message are refused, and nothing worse', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (noise) => {
      const body = envelope('v1', 'Pod', Buffer.from(noise));
      try {
        JSON.parse(protobufToJson(body));
      } catch (error) {
        expect(error).toBeInstanceOf(ProtobufProblem);
      }
    }),
  );
});
