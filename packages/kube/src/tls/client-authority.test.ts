import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../log/silent-logger.ts';
import { createAuthority } from './authority.ts';
import { withClientAuthority } from './client-authority.ts';
import { createMaterial } from './material.ts';

const authority = () =>
  createAuthority({ commonName: 'people', now: Date.now(), validForMs: 60_000 }).certificate;

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'test-ca-'));
  file = join(folder, 'ca.crt');
});
afterEach(() => rm(folder, { recursive: true }));

const served = () => createMaterial({ certificate: 'one', key: 'key' });
const open = (material = served(), clock = new ManualClock()) =>
  withClientAuthority({ material, file, clock, log: silentLogger, intervalMs: 1000 });

test('what is served and whose certificates are accepted are followed, each by itself', async () => {
  const [first, second] = [authority(), authority()];
  await writeFile(file, first);
  const [material, clock] = [served(), new ManualClock()];
  const both = await open(material, clock);
  const changes: string[] = [];
  both.onChange(({ certificate, clientAuthority }) =>
    changes.push(`${certificate} ${clientAuthority === first ? 'first' : 'second'}`),
  );
  expect(both.current()).toEqual({ certificate: 'one', key: 'key', clientAuthority: first });
  material.replace({ certificate: 'two', key: 'key' });
  await writeFile(file, second);
  await clock.advance(1000);
  await vi.waitFor(() => expect(changes).toEqual(['two first', 'two second']));
  both.close();
  material.replace({ certificate: 'three', key: 'key' });
  expect(changes).toHaveLength(2);
});

test('a file that is damaged later changes nothing', async () => {
  const first = authority();
  await writeFile(file, first);
  const clock = new ManualClock();
  const both = await open(served(), clock);
  await writeFile(file, 'half a cert');
  await clock.advance(1000);
  // The timer for the next read is set when this read has finished.
  await vi.waitFor(() => expect(clock.pending).toBe(1));
  expect(both.current().clientAuthority).toBe(first);
  both.close();
});

test('a file that is not there, or holds no certificate, is told at the start', async () => {
  await expect(open()).rejects.toThrow(`${file} cannot be read (ENOENT)`);
  await writeFile(file, 'nothing');
  await expect(open()).rejects.toThrow(`${file} contains no PEM certificate`);
});
