import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { writeAtomically } from './atomic-folder.ts';
import type { Payload } from './payload.ts';

const scratch = await mkdtemp(path.join(tmpdir(), 'test-atomic-'));
const now = Date.UTC(2026, 10, 15, 9, 30, 5);
let folder: string;

const fresh = () => mkdtemp(path.join(scratch, 'volume-'));
beforeEach(async () => {
  folder = await fresh();
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const payloadOf = (files: Record<string, string | Buffer>, mode = 0o644): Payload =>
  new Map(Object.entries(files).map(([name, data]) => [name, { data: Buffer.from(data), mode }]));
const write = (files: Record<string, string | Buffer>, mode?: number, where = folder) =>
  writeAtomically(where, payloadOf(files, mode), now);
const read = (name: string) => readFile(path.join(folder, name), 'utf8');

test('a key is a link into ..data, which is a link to a folder with the time in its name', async () => {
  await write({ colour: 'green', 'conf/app/size': 'L' });
  expect(await read('colour')).toBe('green');
  expect(await read('conf/app/size')).toBe('L');
  expect(await readlink(path.join(folder, 'colour'))).toBe('..data/colour');
  expect(await readlink(path.join(folder, 'conf'))).toBe('..data/conf');
  expect(await readlink(path.join(folder, '..data'))).toMatch(/^\.\.2026_11_15_09_30_05\.\w+$/);
});

test('what is the same is not written again; what changed replaces all', async () => {
  expect(await write({ a: '1', b: '1' })).toBe(true);
  const before = await readlink(path.join(folder, '..data'));
  expect(await write({ a: '1', b: '1' })).toBe(false);
  expect(await readlink(path.join(folder, '..data'))).toBe(before);
  expect(await write({ a: '2' })).toBe(true);
  expect((await readdir(folder)).filter((name) => !name.startsWith('..'))).toEqual(['a']);
  expect(await read('a')).toBe('2');
  expect((await readdir(folder)).filter((name) => name.startsWith('..2'))).toHaveLength(1);
});

test('files have the modes they were given, whatever the umask, and bytes stay bytes', async () => {
  const bytes = Buffer.from([0, 0xff, 0xfe, 10]);
  await write({ key: bytes }, 0o440);
  const file = path.join(folder, 'key');
  expect((await stat(file)).mode & 0o7777).toBe(0o440);
  expect((await readFile(file)).equals(bytes)).toBe(true);
  expect((await stat(path.join(folder, '..data'))).mode & 0o777).toBe(0o755);
});

test('an empty config is an empty folder', async () => {
  await write({ a: '1' });
  await write({});
  expect((await readdir(folder)).filter((name) => !name.startsWith('..'))).toEqual([]);
});

test('a folder for a volume inside of this one stays', async () => {
  await mkdir(path.join(folder, 'inner'));
  await write({ a: '1' });
  await write({ b: '1' });
  expect((await readdir(folder)).filter((name) => !name.startsWith('..')).sort()).toEqual(['b', 'inner']);
});

test('what a crash left in the middle is put right', async () => {
  await write({ a: '1' });
  await mkdir(path.join(folder, '..2026_11_15_09_00_00.half'));
  await symlink('..2026_11_15_09_00_00.half', path.join(folder, '..data_tmp'));
  await write({ a: '2', b: '2' });
  expect([await read('a'), await read('b')]).toEqual(['2', '2']);
  await rm(path.join(folder, 'b'));
  await write({ a: '2', b: '2' });
  expect(await read('b')).toBe('2');
  expect((await readdir(folder)).filter((name) => name.startsWith('..2'))).toHaveLength(1);
});

test.each([
  ['../out', "must not contain '..'"],
  ['a/../../out', "must not contain '..'"],
  ['/etc/passwd', 'must be relative path'],
  ['..data', "must not start with '..'"],
  ['./..data', "must not start with '..'"],
  ['..2026_x', "must not start with '..'"],
  ['', 'must not be empty'],
  ['.', 'must name a file'],
  ['x'.repeat(256), 'filenames must be'],
  ['a\0b', 'nul byte'],
])('the path %j is refused, and nothing is written', async (where, message) => {
  await expect(write({ good: '1', [where]: 'x' })).rejects.toThrow(message);
  expect(await readdir(folder)).toEqual([]);
});

test('a path that is a file and a folder at once is refused', async () => {
  await expect(write({ a: '1', 'a/b': '2' })).rejects.toThrow('a/b is below a, which is a file');
});

test('whatever is written after whatever: exactly the last is seen', async () => {
  const name = fc.constantFrom('a', 'b', 'sub/a', 'sub/b', 'sub/deep/c', 'd');
  const content = fc.dictionary(name, fc.string({ maxLength: 4 }), { maxKeys: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 4 }), async (states) => {
      const where = await fresh();
      for (const state of states) await write(state, 0o644, where);
      const last = states.at(-1) ?? {};
      const seen: Record<string, string> = {};
      for (const link of (await readdir(where)).filter((each) => !each.startsWith('..'))) {
        const target = path.join(where, link);
        if ((await stat(target)).isFile()) seen[link] = await readFile(target, 'utf8');
        else
          for (const each of await readdir(target, { recursive: true, withFileTypes: true }))
            if (each.isFile()) {
              const file = path.join(each.parentPath, each.name);
              seen[path.join(link, path.relative(target, file))] = await readFile(file, 'utf8');
            }
      }
      expect(seen).toEqual({ ...last });
    }),
    { numRuns: 40 },
  );
});

test('a reader who looks while it is swapped sees one version or the other, never a mix or a half', async () => {
  const version = (n: number) => {
    const text = `${n} `.repeat(2_000);
    return { a: text, b: text, 'sub/c': text };
  };
  await write(version(0));
  let isDone = false;
  let looks = 0;
  const look = async () => {
    const alone = (await read('a')).split(' ').slice(0, -1);
    expect(alone).toHaveLength(2_000);
    expect(new Set(alone).size).toBe(1);
    const generation = await realpath(path.join(folder, '..data'));
    const all = ['a', 'b', 'sub/c'].map((name) => readFile(path.join(generation, name), 'utf8'));
    expect(new Set(await Promise.all(all)).size).toBe(1);
    looks++;
  };
  const reader = async () => {
    while (!isDone)
      await look().catch((error: NodeJS.ErrnoException) => {
        // The generation was removed between resolving ..data and reading the file. Kubelet removes it in the same way.
        if (error.code !== 'ENOENT') throw error;
      });
  };
  const readers = [reader(), reader()];
  for (let n = 1; n <= 60 || looks < 20; n++) await write(version(n));
  isDone = true;
  await Promise.all(readers);
});
