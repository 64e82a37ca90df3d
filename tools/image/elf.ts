import { closeSync, openSync, readSync } from 'node:fs';

/** What the dynamic loader needs to start a program or load a library. */
export interface ElfLinks {
  /** `e_machine`: the architecture. */
  machine: number;
  /** Path of the dynamic loader; undefined for a library and for a static program. */
  interpreter?: string;
  /** Names of the libraries, such as `libc.so.6`. */
  needed: readonly string[];
}

const programHeader = { load: 1, dynamic: 2, interpreter: 3 };
const dynamicTag = { needed: 1, stringTable: 5 };

interface Segment {
  type: number;
  offset: number;
  address: number;
  size: number;
}

/** Reads a 64-bit little-endian ELF file, which those of amd64 and arm64 are. */
export function readElfLinks(file: string): ElfLinks {
  const descriptor = openSync(file, 'r');
  try {
    return linksOf((offset, size) => {
      const bytes = Buffer.alloc(size);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, size, offset));
    }, file);
  } finally {
    closeSync(descriptor);
  }
}

function linksOf(read: (offset: number, size: number) => Buffer, file: string): ElfLinks {
  const header = read(0, 64);
  if (header.length < 64 || header.toString('latin1', 0, 6) !== '\x7fELF\x02\x01')
    throw new Error(`${file} is not a 64-bit little-endian ELF file`);
  const segments = segmentsOf(header, read);
  const interpreter = segments.find(({ type }) => type === programHeader.interpreter);
  const dynamic = segments.find(({ type }) => type === programHeader.dynamic);
  return {
    machine: header.readUInt16LE(18),
    ...(interpreter === undefined ? {} : { interpreter: textAt(read, interpreter.offset) }),
    needed: dynamic === undefined ? [] : neededBy(dynamic, segments, read),
  };
}

function segmentsOf(header: Buffer, read: (offset: number, size: number) => Buffer): Segment[] {
  const [start, size, count] = [number(header, 32), header.readUInt16LE(54), header.readUInt16LE(56)];
  const table = read(start, size * count);
  return Array.from({ length: count }, (_, index) => {
    const entry = table.subarray(index * size, (index + 1) * size);
    return {
      type: entry.readUInt32LE(0),
      offset: number(entry, 8),
      address: number(entry, 16),
      size: number(entry, 32),
    };
  });
}

function neededBy(
  dynamic: Segment,
  segments: readonly Segment[],
  read: (offset: number, size: number) => Buffer,
): string[] {
  const table = read(dynamic.offset, dynamic.size);
  const entries = Array.from({ length: table.length / 16 }, (_, index) => ({
    tag: number(table, index * 16),
    value: number(table, index * 16 + 8),
  }));
  const address = entries.find(({ tag }) => tag === dynamicTag.stringTable)?.value ?? 0;
  const loaded = segments.find(
    (each) =>
      each.type === programHeader.load && address >= each.address && address < each.address + each.size,
  );
  if (loaded === undefined) return [];
  const strings = loaded.offset + address - loaded.address;
  return entries
    .filter(({ tag }) => tag === dynamicTag.needed)
    .map(({ value }) => textAt(read, strings + value));
}

function textAt(read: (offset: number, size: number) => Buffer, offset: number): string {
  const bytes = read(offset, 256);
  return bytes.toString('utf8', 0, bytes.indexOf(0));
}

function number(bytes: Buffer, offset: number): number {
  return Number(bytes.readBigUInt64LE(offset));
}
