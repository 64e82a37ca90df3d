import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readElfLinks } from './elf.ts';
import { elfFile } from './testing/elf-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'trimtab-elf-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the architecture, the loader and the libraries of a program are read', () => {
  const file = path.join(folder, 'program');
  const links = {
    machine: 183,
    interpreter: '/lib/ld-linux-aarch64.so.1',
    needed: ['libc.so.6', 'libm.so.6'],
  };
  writeFileSync(file, elfFile(links));
  expect(readElfLinks(file)).toEqual(links);
});

test('a file that is not a program is refused', () => {
  const file = path.join(folder, 'script');
  writeFileSync(file, '#!/bin/sh\n');
  expect(() => readElfLinks(file)).toThrow(`${file} is not a 64-bit little-endian ELF file`);
});
