/** Request bodies in Kubernetes' protobuf format, encoded by hand because our clients never send protobuf. */

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)];
}

export function field(number: number, ...content: (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((each) => Buffer.from(each)));
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
}

export function flag(number: number, value: boolean): Buffer {
  return Buffer.from([...varint(number << 3), value ? 1 : 0]);
}

/** The envelope of a message: a magic prefix, the type, and the raw message. */
export function envelope(apiVersion: string, kind: string, ...raw: Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from('k8s\0'),
    field(1, field(1, apiVersion), field(2, kind)),
    field(2, ...raw),
  ]);
}
