import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { replaceFiles } from './replace-files.ts';
import { readTextFile, type TextFile } from './text-file.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-replace-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function textFile(name: string): Promise<TextFile> {
  writeFileSync(join(folder, name), 'old');
  const file = await readTextFile(join(folder, name));
  if ('problem' in file) throw new Error(file.problem);
  return { ...file, text: 'new' };
}

test('all files are replaced, also one with the longest name that a file may have', async () => {
  const names = ['a', 'x'.repeat(255)];
  expect(replaceFiles(await Promise.all(names.map(textFile)))).toBeUndefined();
  expect(readdirSync(folder)).toEqual(names);
  for (const name of names) expect(readFileSync(join(folder, name), 'utf8')).toBe('new');
});

test('a file that cannot be written leaves the others as they are, and no drafts behind', async () => {
  const good = await textFile('a');
  const bad = { ...(await textFile('b')), name: 'b', target: join(folder, 'gone', 'b') };
  expect(replaceFiles([good, bad])).toBe('b: cannot be written: ENOENT; no file was changed');
  expect(readFileSync(good.target, 'utf8')).toBe('old');
  expect(readdirSync(folder)).toEqual(['a', 'b']);
});

test('a file that cannot be replaced is named', async () => {
  const bad = { ...(await textFile('b')), name: 'b', target: folder };
  expect(replaceFiles([bad])).toMatch(/^b: cannot be replaced: E/);
  expect(readdirSync(folder)).toEqual(['b']);
});
