import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installBinary } from './install-binary.ts';

let folder: string;
let program: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-install-'));
  program = join(folder, 'config-controller');
  writeFileSync(program, 'the program', { mode: 0o700 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the program is copied to the folder, which is created, and every user may run it', () => {
  const target = join(folder, 'a/b');
  const umask = process.umask(0o077);
  try {
    expect(installBinary(program, target)).toBe(join(target, 'trimtab-agent'));
  } finally {
    process.umask(umask);
  }
  expect(readFileSync(join(target, 'trimtab-agent'), 'utf8')).toBe('the program');
  expect(statSync(join(target, 'trimtab-agent')).mode & 0o7777).toBe(0o755);
  expect(readdirSync(target)).toEqual(['trimtab-agent']);
});

test('an earlier copy is replaced', () => {
  installBinary(program, folder);
  writeFileSync(program, 'a newer program');
  installBinary(program, folder);
  expect(readFileSync(join(folder, 'trimtab-agent'), 'utf8')).toBe('a newer program');
});

test('a folder that cannot be written is reported with what to do', () => {
  expect(() => installBinary(program, program)).toThrow(
    `--install-to: cannot write to ${program}: a file is in the place of a folder (EEXIST). Remove it`,
  );
  expect(() => installBinary(program, join(program, 'sub'))).toThrow('--install-to: cannot write to');
});

test('a failed copy leaves nothing behind', () => {
  mkdirSync(join(folder, 'bin/trimtab-agent'), { recursive: true });
  expect(() => installBinary(program, join(folder, 'bin'))).toThrow('--install-to: cannot write to');
  expect(() => installBinary(join(folder, 'none'), join(folder, 'bin'))).toThrow('ENOENT');
  expect(readdirSync(join(folder, 'bin'))).toEqual(['trimtab-agent']);
});
