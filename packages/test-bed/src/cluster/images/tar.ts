import { createReadStream } from 'node:fs';

/** One entry of an archive. Entries belong to root and have no timestamps: equal content results in equal bytes. */
export type TarEntry =
  | { type: 'directory'; path: string; mode: number }
  | { type: 'symlink'; path: string; target: string }
  | { type: 'file'; path: string; mode: number; content: Buffer }
  | { type: 'file'; path: string; mode: number; file: string; size: number };

const block = 512;
const flags = { file: '0', symlink: '2', directory: '5', extended: 'x' };
/** Maximum length of a path or link target in a header. Longer ones need an extended header. */
const nameBytes = 100;

/** Generates a POSIX tar archive. */
export async function* tar(entries: Iterable<TarEntry> | AsyncIterable<TarEntry>): AsyncGenerator<Buffer> {
  for await (const entry of entries) {
    const path = entry.type === 'directory' ? `${entry.path}/` : entry.path;
    const target = entry.type === 'symlink' ? entry.target : '';
    yield* extendedHeader(path, target);
    const size = sizeOf(entry);
    const mode = entry.type === 'symlink' ? 0o777 : entry.mode;
    yield header({ path, target, mode, size, flag: flags[entry.type] });
    if (entry.type !== 'file') continue;
    if ('content' in entry) yield entry.content;
    else yield* exactly(entry.file, size);
    yield padding(size);
  }
  yield Buffer.alloc(2 * block);
}

function sizeOf(entry: TarEntry): number {
  if (entry.type !== 'file') return 0;
  return 'content' in entry ? entry.content.length : entry.size;
}

/** Throws when the file is shorter than `size`: a different length would shift all later entries. */
async function* exactly(file: string, size: number): AsyncGenerator<Buffer> {
  let read = 0;
  if (size > 0)
    for await (const chunk of createReadStream(file, { end: size - 1, highWaterMark: 1 << 20 })) {
      read += chunk.length;
      yield chunk;
    }
  if (read !== size) throw new Error(`${file} changed while it was being read`);
}

function* extendedHeader(path: string, target: string): Generator<Buffer> {
  const records = [
    ...(Buffer.byteLength(path) > nameBytes ? [record('path', path)] : []),
    ...(Buffer.byteLength(target) > nameBytes ? [record('linkpath', target)] : []),
  ];
  if (records.length === 0) return;
  const content = Buffer.concat(records);
  yield header({ path: 'extended', target: '', mode: 0o644, size: content.length, flag: flags.extended });
  yield content;
  yield padding(content.length);
}

/** Formats `<length> key=value\n`. The length includes its own digits. */
function record(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  if (String(length).length > String(bytes).length) length = bytes + String(length).length;
  return Buffer.from(`${length}${rest}`);
}

interface HeaderFields {
  path: string;
  target: string;
  mode: number;
  size: number;
  flag: string;
}

function header({ path, target, mode, size, flag }: HeaderFields): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, offset: number, width: number) =>
    bytes.write(`${value.toString(8).padStart(width - 1, '0')}\0`, offset);
  Buffer.from(path).copy(bytes, 0, 0, nameBytes);
  octal(mode & 0o7777, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  bytes.write(' '.repeat(8), 148); // the checksum counts itself as spaces
  bytes.write(flag, 156);
  Buffer.from(target).copy(bytes, 157, 0, nameBytes);
  bytes.write('ustar\x0000', 257);
  const checksum = bytes.reduce((sum, byte) => sum + byte, 0);
  bytes.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}

function padding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block);
}
