import fc from 'fast-check';
import { expect, test } from 'vitest';
import { protobufToJson } from './envelope.ts';
import { ProtobufProblem } from './wire.ts';

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)];
}

function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
}

function envelope(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const type = Buffer.concat([field(1, apiVersion), field(2, kind)]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, raw)]);
}

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
