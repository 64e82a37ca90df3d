import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeptFolders } from './kept-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-kept-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Replaces the files as the kubelet does. */
function keep(name: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, path, '..'), { recursive: true });
    writeFileSync(join(folder, name, path), text);
  }
  symlinkSync(name, join(folder, '..tmp'));
  renameSync(join(folder, '..tmp'), join(folder, '..data'));
}

const shown = (kept: KeptFolders) =>
  Object.fromEntries([...kept.read(folder)].map(([path, text]) => [path, String(text)]));

test('files are read through the link of the kubelet, with their folders', () => {
  keep('..1', { token: 't', 'pki/ca.crt': 'c' });
  expect(shown(new KeptFolders([folder]))).toEqual({ token: 't', 'pki/ca.crt': 'c' });
});

test('files are read again after a replacement only', () => {
  keep('..1', { token: 't1' });
  const kept = new KeptFolders([folder]);
  expect(kept.read(folder)).toBe(kept.read(folder));
  keep('..2', { token: 't2' });
  expect(shown(kept)).toEqual({ token: 't2' });
});

test('files of a folder without the link are always read', () => {
  const kept = new KeptFolders([folder]);
  writeFileSync(join(folder, 'token'), 't1');
  expect(shown(kept)).toEqual({ token: 't1' });
  writeFileSync(join(folder, 'token'), 't2');
  expect(shown(kept)).toEqual({ token: 't2' });
});

test('a folder that does not exist is an error', () => {
  rmSync(folder, { recursive: true });
  expect(() => shown(new KeptFolders([folder]))).toThrow('ENOENT');
});

test('a replacement is noticed within ten seconds', async () => {
  keep('..1', { token: 't1' });
  const kept = new KeptFolders([folder]);
  kept.read(folder);
  const [clock, stop] = [new ManualClock(), new AbortController()];
  let changes = 0;
  const running = kept.run(() => (changes += 1), clock, stop.signal);
  await clock.advance(30_000);
  expect(changes).toBe(0);
  keep('..2', { token: 't2' });
  await clock.advance(10_000);
  expect(changes).toBe(1);
  kept.read(folder);
  await clock.advance(30_000);
  expect(changes).toBe(1);
  stop.abort();
  await running;
  expect(clock.pending).toBe(0);
});
