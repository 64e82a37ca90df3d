import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyInPlace } from './in-place.ts';

let folder: string;
let from: string;
let to: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-in-place-'));
  [from, to] = [join(folder, 'from'), join(folder, 'to')];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inode = (path: string) => statSync(path).ino;

test('a file is rewritten with the same inode, and its new mode', () => {
  writeFileSync(from, 'a long text', { mode: 0o444 });
  expect(copyInPlace(from, to)).toBe(true);
  const before = inode(to);
  rmSync(from);
  writeFileSync(from, 'short');
  chmodSync(from, 0o400);
  expect(copyInPlace(from, to)).toBe(true);
  expect([readFileSync(to, 'utf8'), inode(to), statSync(to).mode & 0o777]).toEqual(['short', before, 0o400]);
});

test('a file with the same content is not touched', () => {
  writeFileSync(from, 'same');
  copyInPlace(from, to);
  const { mtimeMs } = statSync(to);
  expect(copyInPlace(from, to)).toBe(false);
  expect(statSync(to).mtimeMs).toBe(mtimeMs);
});

test('a folder keeps its inode; files come and go', () => {
  mkdirSync(join(from, 'sub'), { recursive: true });
  writeFileSync(join(from, 'sub/a'), '1');
  copyInPlace(from, to);
  const before = [inode(to), inode(join(to, 'sub/a'))];
  writeFileSync(join(from, 'sub/a'), '2');
  writeFileSync(join(from, 'b'), 'new');
  copyInPlace(from, to);
  expect([inode(to), inode(join(to, 'sub/a'))]).toEqual(before);
  expect(readFileSync(join(to, 'b'), 'utf8')).toBe('new');
  rmSync(join(from, 'b'));
  copyInPlace(from, to);
  expect(statSync(join(to, 'b'), { throwIfNoEntry: false })).toBeUndefined();
});

test('what does not exist is removed', () => {
  writeFileSync(to, 'old');
  expect(copyInPlace(from, to)).toBe(true);
  expect(copyInPlace(from, to)).toBe(false);
});

test('a link in the place of a file is replaced, and not followed', () => {
  const other = join(folder, 'other');
  writeFileSync(other, 'theirs');
  symlinkSync(other, to);
  writeFileSync(from, 'ours');
  copyInPlace(from, to);
  expect([readFileSync(to, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['ours', 'theirs']);
});
