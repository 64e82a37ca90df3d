import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { baseFiles, certificateFiles } from './base-files.ts';
import { layerEntries } from './layer-entries.ts';
import { platforms } from './platform.ts';
import { elfFile } from './testing/elf-file.ts';

let folder: string;
let folders: Map<string, string>;
let program: string;
const amd64 = platforms[0] ?? expect.unreachable();

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'trimtab-base-'));
  folders = new Map(
    ['base-files', 'ca-certificates', 'libc6', 'libgcc-s1'].map((name) => [name, path.join(folder, name)]),
  );
  for (const name of folders.keys()) put(name, 'DEBIAN/control', `Package: ${name}\nVersion: 1\n`);
  put('base-files', 'usr/lib/os-release', 'ID=debian\n');
  put('libc6', 'usr/share/doc/libc6/copyright', 'LGPL\n');
  for (const [name, text] of [
    ['b.crt', 'B\n'],
    ['a.crt', 'A\n'],
    ['readme', 'no'],
  ] as const)
    put('ca-certificates', `usr/share/ca-certificates/mozilla/${name}`, text);
  const loader = '/lib64/ld-linux-x86-64.so.2';
  put('libc6', 'lib/x86_64-linux-gnu/ld-linux-x86-64.so.2', elfFile({ machine: 62 }));
  put('libc6', 'lib/x86_64-linux-gnu/libc.so.6', elfFile({ machine: 62, needed: ['ld-linux-x86-64.so.2'] }));
  put('libc6', 'lib/x86_64-linux-gnu/libm.so.6', elfFile({ machine: 62, needed: ['libc.so.6'] }));
  put('libc6', 'lib/x86_64-linux-gnu/libnsl.so.1', elfFile({ machine: 62 }));
  put('libgcc-s1', 'lib/x86_64-linux-gnu/libgcc_s.so.1', elfFile({ machine: 62, needed: ['libc.so.6'] }));
  mkdirSync(path.join(folder, 'libc6/lib64'));
  symlinkSync('/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2', path.join(folder, 'libc6', loader));
  program = path.join(folder, 'program');
  writeFileSync(program, elfFile({ machine: 62, interpreter: loader, needed: ['libm.so.6'] }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(name: string, file: string, content: string | Buffer): void {
  const at = path.join(folders.get(name) ?? '', file);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, content);
}

test('the base has the loader, and the libraries that the program needs through others', () => {
  const entries = layerEntries(baseFiles(program, folders, amd64));
  const libraries = entries.filter(({ path: at, type }) => at.startsWith('lib') && type !== 'directory');
  expect(libraries.map((entry) => entry.path)).toEqual([
    'lib/x86_64-linux-gnu/ld-linux-x86-64.so.2',
    'lib/x86_64-linux-gnu/libc.so.6',
    'lib/x86_64-linux-gnu/libgcc_s.so.1',
    'lib/x86_64-linux-gnu/libm.so.6',
    'lib64/ld-linux-x86-64.so.2',
  ]);
  // Parents come before children, and every path once.
  const paths = entries.map((entry) => entry.path);
  expect(paths).toEqual([...new Set(paths)].sort());
  expect(paths).toContain('usr/share/doc/libc6/copyright');
  expect(paths).toContain('var/lib/dpkg/status.d/libgcc-s1');
});

test('a library that no package has fails the build', () => {
  const other = path.join(folder, 'other');
  writeFileSync(other, elfFile({ machine: 62, needed: ['libstdc++.so.6'] }));
  expect(() => baseFiles(other, folders, amd64)).toThrow(
    'none of the Debian packages has /lib/x86_64-linux-gnu/libstdc++.so.6, which the program needs',
  );
});

test('the certificates are one file in the order of their names', () => {
  const bundle = certificateFiles(folders).find((entry) => entry.path.endsWith('ca-certificates.crt'));
  expect(bundle && 'content' in bundle && bundle.content.toString()).toBe('A\nB\n');
});

test('the loader of arm64 is a relative link beside the folder of the libraries', () => {
  const arm64 = platforms[1] ?? expect.unreachable();
  const loader = 'ld-linux-aarch64.so.1';
  put('libc6', `lib/aarch64-linux-gnu/${loader}`, elfFile({ machine: 183 }));
  put('libc6', 'lib/aarch64-linux-gnu/libc.so.6', elfFile({ machine: 183, needed: [loader] }));
  put('libgcc-s1', 'lib/aarch64-linux-gnu/libgcc_s.so.1', elfFile({ machine: 183, needed: ['libc.so.6'] }));
  symlinkSync(`aarch64-linux-gnu/${loader}`, path.join(folder, `libc6/lib/${loader}`));
  const other = path.join(folder, 'arm64');
  writeFileSync(other, elfFile({ machine: 183, interpreter: `/lib/${loader}`, needed: ['libc.so.6'] }));
  const entries = baseFiles(other, folders, arm64).filter(({ path: at }) => at.startsWith('lib/'));
  expect(entries).toContainEqual({
    type: 'symlink',
    path: `lib/${loader}`,
    target: `aarch64-linux-gnu/${loader}`,
  });
  expect(entries.map((entry) => entry.path)).toContain('lib/aarch64-linux-gnu/libgcc_s.so.1');
});
