/**
 * The subset of DER (ITU-T X.690) that an X.509 certificate needs. Each encoding function returns one complete
 * element: tag, length and content.
 */

function element(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...elements: Uint8Array[]): Buffer => element(0x30, ...elements);
/** Accepts one element only, because DER requires the elements of a larger set to be sorted. */
export const setOf = (only: Uint8Array): Buffer => element(0x31, only);
export const octetString = (content: Uint8Array): Buffer => element(0x04, content);
export const utf8String = (text: string): Buffer => element(0x0c, Buffer.from(text, 'utf8'));
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.from([value ? 0xff : 0]));

/** Encodes an unsigned big-endian number as INTEGER, without redundant leading zeros and never as a negative number. */
export function unsignedInteger(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  const looksNegative = (digits[0] ?? 0) >= 0x80;
  return element(0x02, looksNegative || digits.length === 0 ? Buffer.from([0]) : Buffer.alloc(0), digits);
}

/** Encodes a BIT STRING whose last `unusedBits` bits are unused. */
export const bitString = (content: Uint8Array, unusedBits = 0): Buffer =>
  element(0x03, Buffer.from([unusedBits]), content);

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(arc: number): number[] {
  const digits = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) {
    digits.unshift(0x80 | (rest % 128));
  }
  return digits;
}

/** Encodes a context-specific tag, `[n]` in ASN.1: `constructed` for nested elements, `primitive` for bytes. */
export function tagged(tag: number, form: 'constructed' | 'primitive', content: Uint8Array): Buffer {
  return element((form === 'constructed' ? 0xa0 : 0x80) | tag, content);
}

/** RFC 5280, 4.1.2.5: UTCTime, with a two-digit year, for 1950 to 2049; GeneralizedTime for all other years. */
export function time(ms: number): Buffer {
  const date = new Date(ms);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) throw new RangeError(`a certificate cannot represent the time ${ms} ms`);
  const digits = date.toISOString().replace(/\.\d+Z$|[-:T]/g, '');
  return year >= 1950 && year < 2050
    ? element(0x17, Buffer.from(`${digits.slice(2)}Z`, 'ascii'))
    : element(0x18, Buffer.from(`${digits}Z`, 'ascii'));
}

/** Splits the content of a constructed element (or the bytes of a file) into its elements, each with its header. */
export function readElements(bytes: Buffer): Buffer[] {
  const elements: Buffer[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const { end } = readHeader(bytes, offset);
    elements.push(bytes.subarray(offset, end));
    offset = end;
  }
  return elements;
}

/** The content of an element, without its header. */
export function contentOf(encoded: Buffer): Buffer {
  const { start, end } = readHeader(encoded, 0);
  return encoded.subarray(start, end);
}

function readHeader(bytes: Buffer, offset: number): { start: number; end: number } {
  const first = bytes[offset + 1] ?? 0;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const start = offset + 2 + lengthBytes;
  if (lengthBytes > 4 || start > bytes.length) throw new RangeError('invalid DER: the length is truncated');
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(offset + 2, lengthBytes);
  if (start + length > bytes.length) throw new RangeError('invalid DER: the content is truncated');
  return { start, end: start + length };
}
