import type { ElfLinks } from '../elf.ts';

/** A program or library of 64 bits that has no code: a loaded segment, its dynamic table, and the path of its loader. */
export function elfFile({ machine, interpreter = '', needed = [] }: Partial<ElfLinks>): Buffer {
  const address = 0x400000;
  const strings = Buffer.from(`\0${needed.map((name) => `${name}\0`).join('')}${interpreter}\0`);
  const [tableAt, stringsAt] = [64 + 3 * 56, 64 + 3 * 56 + 16 * (needed.length + 2)];
  const bytes = Buffer.alloc(stringsAt + strings.length);
  bytes.write('\x7fELF\x02\x01', 'latin1');
  bytes.writeUInt16LE(machine ?? 0, 18);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(interpreter === '' ? 2 : 3, 56);
  const segments = [
    { type: 1, offset: 0, size: bytes.length },
    { type: 2, offset: tableAt, size: stringsAt - tableAt },
    { type: 3, offset: stringsAt + strings.indexOf(interpreter), size: interpreter.length + 1 },
  ];
  for (const [index, { type, offset, size }] of segments.entries()) {
    const at = 64 + index * 56;
    bytes.writeUInt32LE(type, at);
    bytes.writeBigUInt64LE(BigInt(offset), at + 8);
    bytes.writeBigUInt64LE(BigInt(address + offset), at + 16);
    bytes.writeBigUInt64LE(BigInt(size), at + 32);
  }
  const entries = [
    ...needed.map((name) => [1, strings.indexOf(`\0${name}\0`) + 1]),
    [5, address + stringsAt],
    [0, 0],
  ];
  for (const [index, [tag = 0, value = 0]] of entries.entries()) {
    bytes.writeBigUInt64LE(BigInt(tag), tableAt + index * 16);
    bytes.writeBigUInt64LE(BigInt(value), tableAt + index * 16 + 8);
  }
  strings.copy(bytes, stringsAt);
  return bytes;
}
