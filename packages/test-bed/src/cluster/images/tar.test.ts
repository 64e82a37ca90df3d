import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderEntries } from './folder-entries.ts';
import { type TarEntry, tar } from './tar.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tar-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function archive(entries: Iterable<TarEntry>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of tar(entries)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function extract(entries: Iterable<TarEntry>): Promise<string> {
  const target = mkdtempSync(join(folder, 'out-'));
  execFileSync('tar', ['-x', '-p', '-C', target], { input: await archive(entries) });
  return target;
}

test('the system tar reads back files, folders, links and modes', async () => {
  const target = await extract([
    { type: 'directory', path: 'etc', mode: 0o755 },
    { type: 'file', path: 'etc/app', mode: 0o640, content: Buffer.from('hello') },
    { type: 'symlink', path: 'link', target: 'etc/app' },
  ]);
  expect(readFileSync(join(target, 'etc/app'), 'utf8')).toBe('hello');
  expect(lstatSync(join(target, 'etc/app')).mode & 0o777).toBe(0o640);
  expect(readlinkSync(join(target, 'link'))).toBe('etc/app');
});

test('names of any length and contents of any size survive', async () => {
  const name = fc.stringMatching(/^[a-zé][a-z0-9é]{0,90}$/);
  const file = fc.record({ parts: fc.array(name, { minLength: 1, maxLength: 3 }), size: fc.nat(1500) });
  await fc.assert(
    fc.asyncProperty(file, async ({ parts, size }) => {
      const path = parts.join('/');
      const content = Buffer.alloc(size, 'x');
      const target = await extract([
        { type: 'file', path, mode: 0o644, content },
        { type: 'symlink', path: 'link', target: path },
      ]);
      expect(readFileSync(join(target, path))).toEqual(content);
      expect(readlinkSync(join(target, 'link'))).toBe(path);
    }),
    { numRuns: 25 },
  );
});

test('a folder lies where it was asked to, with its links', async () => {
  const source = join(folder, 'source');
  mkdirSync(join(source, 'deep'), { recursive: true });
  writeFileSync(join(source, 'deep/file'), 'content', { mode: 0o755 });
  symlinkSync('deep/file', join(source, 'link'));
  const target = await extract(folderEntries(source, '/opt/app'));
  expect(readFileSync(join(target, 'opt/app/deep/file'), 'utf8')).toBe('content');
  expect(readFileSync(join(target, 'opt/app/link'), 'utf8')).toBe('content');
});

test('the same content is the same bytes', async () => {
  const source = join(folder, 'source');
  mkdirSync(source);
  writeFileSync(join(source, 'b'), '1');
  writeFileSync(join(source, 'a'), '2');
  const once = await archive(folderEntries(source));
  rmSync(join(source, 'b'));
  writeFileSync(join(source, 'b'), '1');
  expect(await archive(folderEntries(source))).toEqual(once);
});

test('a file that changes while it is read is refused', async () => {
  const file = join(folder, 'shrinking');
  writeFileSync(file, 'short');
  await expect(archive([{ type: 'file', path: 'x', mode: 0o644, file, size: 10 }])).rejects.toThrow(
    'changed',
  );
});
