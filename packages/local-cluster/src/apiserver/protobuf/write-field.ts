/** A field of bytes: a string, or a message of several fields. */
export function bytesField(number: number, ...content: (Buffer | string)[]): Buffer {
  const bytes = Buffer.concat(content.map((each) => (typeof each === 'string' ? Buffer.from(each) : each)));
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

/** Negative numbers take ten bytes, as in Kubernetes. */
export function numberField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number << 3), varint(value)]);
}

export function doubleField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint((number << 3) | 1), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}
