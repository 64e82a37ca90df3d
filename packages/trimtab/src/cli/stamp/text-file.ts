import { readFileSync, realpathSync, statSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';

/** A text file as it was read. */
export interface TextFile {
  /** As the user wrote it; `-` is standard input. */
  name: string;
  /** The file that is replaced: a symbolic link is followed. */
  target: string;
  text: string;
  encoding: 'utf8' | 'latin1';
  /** Undefined for standard input. */
  owner?: { mode: number; uid: number; gid: number };
}

/** Reads a file whose bytes can be written again unchanged. */
export async function readTextFile(name: string): Promise<TextFile | { problem: string }> {
  try {
    if (name === '-') return toText({ name, target: name }, await readBytes(name));
    const target = realpathSync(name);
    const stats = statSync(target);
    if (!stats.isFile()) return { problem: `${name}: is not a regular file` };
    const { mode, uid, gid } = stats;
    return toText({ name, target, owner: { mode: mode & 0o7777, uid, gid } }, await readBytes(target));
  } catch (error) {
    return { problem: `${name}: cannot be read: ${errorCode(error)}` };
  }
}

/** Text in another encoding than UTF-8 is read byte by byte: keys and numbers are ASCII in all of them. */
function toText(
  { name, target, owner }: Pick<TextFile, 'name' | 'target' | 'owner'>,
  bytes: Buffer,
): TextFile | { problem: string } {
  if (bytes.includes(0)) return { problem: `${name}: is not a text file: it contains NUL bytes` };
  const text = bytes.toString('utf8');
  const encoding = Buffer.from(text, 'utf8').equals(bytes) ? 'utf8' : 'latin1';
  return {
    ...{ name, target, encoding, text: encoding === 'utf8' ? text : bytes.toString('latin1') },
    ...(owner !== undefined && { owner }),
  };
}

export function errorCode(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  return code ?? message;
}

/** Reads a file, or standard input. */
export async function readBytes(name: string): Promise<Buffer> {
  return name === '-' ? buffer(process.stdin) : readFileSync(name);
}
