import { createHash } from 'node:crypto';
import type { Stored } from '../store/stored.ts';
import type { StoredKeys } from '../store/stored-keys.ts';
import { storedBytes } from './stored-bytes.ts';

export const outputFormats = ['simple', 'json', 'fields'] as const;

export interface PrintOptions {
  format: (typeof outputFormats)[number];
  keysOnly: boolean;
  valuesOnly: boolean;
}

interface KeyValue {
  stored: Stored;
  value: Buffer;
}

/** Prints keys in the formats of `etcdctl get`. Values are bytes, so the result is bytes, too. */
export function printKeys(answer: StoredKeys, { format, keysOnly, valuesOnly }: PrintOptions): Buffer {
  const found = answer.items.map((stored) => ({
    stored,
    value: keysOnly ? Buffer.alloc(0) : storedBytes(stored.value),
  }));
  switch (format) {
    case 'simple':
      return simple(found, valuesOnly);
    case 'json':
      return Buffer.from(json(answer, found));
    case 'fields':
      return Buffer.from(fields(answer, found));
  }
}

/** etcdctl prints an empty line for the value with --keys-only. */
function simple(found: readonly KeyValue[], valuesOnly: boolean): Buffer {
  return Buffer.concat(
    found.flatMap(({ stored, value }) => [
      Buffer.from(valuesOnly ? '' : `${stored.key}\n`),
      value,
      Buffer.from('\n'),
    ]),
  );
}

function json({ cluster, revision }: StoredKeys, found: readonly KeyValue[]): string {
  const kvs = found.map(({ stored, value }) => ({
    key: base64(Buffer.from(stored.key)),
    create_revision: stored.createRevision,
    mod_revision: stored.revision,
    version: stored.version,
    ...(value.length > 0 && { value: base64(value) }),
  }));
  const rest = found.length === 0 ? '' : `,"kvs":${JSON.stringify(kvs)},"count":${found.length}`;
  // The ids are integers of 64 bits, which are not numbers of JavaScript.
  return `{"header":{"cluster_id":${idOf(cluster, 'cluster')},"member_id":${idOf(cluster, 'member')},"revision":${revision},"raft_term":${raftTerm}}${rest}}\n`;
}

function fields({ cluster, revision }: StoredKeys, found: readonly KeyValue[]): string {
  const rows: [name: string, value: string | number | bigint | boolean][] = [
    ['ClusterID', idOf(cluster, 'cluster')],
    ['MemberID', idOf(cluster, 'member')],
    ['Revision', revision],
    ['RaftTerm', raftTerm],
    ...found.flatMap(({ stored, value }): typeof rows => [
      ['Key', quoted(Buffer.from(stored.key))],
      ['CreateRevision', stored.createRevision],
      ['ModRevision', stored.revision],
      ['Version', stored.version],
      ['Value', quoted(value)],
      ['Lease', 0],
    ]),
    ['More', false],
    ['Count', found.length],
  ];
  return rows.map(([name, value]) => `"${name}" : ${value}\n`).join('');
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64');
}

/** etcd with one member, which was started once, is in its second term. */
const raftTerm = 2;

/** An id of 64 bits that stays the same for the life of a cluster. */
function idOf(cluster: string, what: 'cluster' | 'member'): bigint {
  return createHash('sha256').update(`${what}/${cluster}`).digest().readBigUInt64BE();
}

const escapes: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** A string in the syntax of Go (`%q`): bytes that are not printable text are written as `\x00`. */
function quoted(bytes: Buffer): string {
  let result = '';
  for (let at = 0; at < bytes.length; ) {
    const character = characterAt(bytes, at);
    const escaped = character === undefined ? undefined : escapes[character];
    if (character === undefined || (escaped === undefined && isControl(character))) {
      result += `\\x${(bytes[at] ?? 0).toString(16).padStart(2, '0')}`;
      at += 1;
    } else {
      result += escaped ?? character;
      at += Buffer.byteLength(character);
    }
  }
  return `"${result}"`;
}

/** Returns undefined when the bytes at this place are not UTF-8. */
function characterAt(bytes: Buffer, at: number): string | undefined {
  const first = bytes[at] ?? 0;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const text = bytes.subarray(at, at + length).toString('utf8');
  return text === '\ufffd' || text.includes('\ufffd') ? undefined : text;
}

function isControl(character: string): boolean {
  return character < ' ' || character === '\u007f';
}
