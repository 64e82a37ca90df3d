import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type BedFolder, bedFolder, createBedFolder } from '../state/bed-folder.ts';
import {
  ensureDaemon,
  isDaemonAlive,
  killDaemons,
  lastLogLines,
  readRecord,
  requireAlive,
} from './daemon.ts';
import { identify } from './identity.ts';
import { waitFor } from './wait-for.ts';

let cache: string;
let folder: BedFolder;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'bed-'));
  vi.stubEnv('XDG_CACHE_HOME', cache);
  folder = bedFolder('test');
  createBedFolder(folder);
});

afterEach(async () => {
  await killDaemons(folder, ['sleeper', 'talker']);
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

test('the record that a daemon writes about itself is what the kernel says', async () => {
  await ensureDaemon(folder, { name: 'sleeper', command: ['sleep', '60'] });
  const record = readRecord(folder, 'sleeper');
  expect(record).toEqual(identify(record?.pid ?? 0));
});

test('a daemon that runs is not started again', async () => {
  const sleeper = { name: 'sleeper', command: ['sleep', '60'] };
  await ensureDaemon(folder, sleeper);
  const before = readRecord(folder, 'sleeper');
  expect(await ensureDaemon(folder, sleeper)).toBe('running');
  expect(readRecord(folder, 'sleeper')).toEqual(before);
});

test('a daemon that was killed is started again', async () => {
  const sleeper = { name: 'sleeper', command: ['sleep', '60'] };
  await ensureDaemon(folder, sleeper);
  await killDaemons(folder, ['sleeper']);
  expect(isDaemonAlive(folder, 'sleeper')).toBe(false);
  await ensureDaemon(folder, sleeper);
  expect(isDaemonAlive(folder, 'sleeper')).toBe(true);
});

test('a daemon that has ended is named, and its last words are kept', async () => {
  await ensureDaemon(folder, { name: 'talker', command: ['sh', '-c', 'echo I cannot go on; exit 1'] });
  await waitFor({ what: 'talker to exit', seconds: 5, probe: () => !isDaemonAlive(folder, 'talker') });
  expect(() => requireAlive(folder, 'talker')).toThrow('talker has exited');
  expect(lastLogLines(folder, 'talker').at(-1)).toBe('I cannot go on');
});
