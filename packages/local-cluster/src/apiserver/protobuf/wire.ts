/** A field in the wire format: a number, or bytes that are decoded by the definition of the message. */
export interface WireField {
  number: number;
  value: bigint | Buffer;
}

export class ProtobufProblem extends Error {
  override readonly name = 'ProtobufProblem';
}

/** Yields the fields of a message in order. Throws ProtobufProblem when the bytes are not a message. */
export function* wireFields(bytes: Buffer): Generator<WireField> {
  let at = 0;
  while (at < bytes.length) {
    const [tag, afterTag] = varint(bytes, at);
    at = afterTag;
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case 0: {
        const [value, next] = varint(bytes, at);
        at = next;
        yield { number, value: BigInt.asIntN(64, value) };
        break;
      }
      case 1:
        yield { number, value: slice(bytes, at, 8) };
        at += 8;
        break;
      case 2: {
        const [length, start] = varint(bytes, at);
        yield { number, value: slice(bytes, start, Number(length)) };
        at = start + Number(length);
        break;
      }
      case 5:
        yield { number, value: slice(bytes, at, 4) };
        at += 4;
        break;
      default:
        throw new ProtobufProblem('proto: illegal wireType');
    }
  }
}

function varint(bytes: Buffer, start: number): [value: bigint, next: number] {
  let value = 0n;
  for (let index = 0; index < 10; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) throw new ProtobufProblem('unexpected EOF');
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return [value, start + index + 1];
  }
  throw new ProtobufProblem('proto: integer overflow');
}

function slice(bytes: Buffer, start: number, length: number): Buffer {
  if (start + length > bytes.length) throw new ProtobufProblem('unexpected EOF');
  return bytes.subarray(start, start + length);
}
