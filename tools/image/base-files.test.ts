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
