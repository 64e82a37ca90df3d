import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tokenFile } from './bearer-token.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'test-token-'));
});

afterEach(() => rm(folder, { recursive: true }));

test('a rotated token is found within seconds, without a refusal', async () => {
  const clock = new ManualClock();
  const path = join(folder, 'token');
  await writeFile(path, 'first\n');
  const source = tokenFile(path, clock);
  const token = async () => (await source.current()).headers['authorization'];
  expect(await token()).toBe('Bearer first');
  await writeFile(path, 'second\n');
  expect(await token()).toBe('Bearer first');
  await clock.advance(10_000);
  expect(await token()).toBe('Bearer second');
});

test('a file that is away or empty for a moment changes nothing', async () => {
  const clock = new ManualClock();
  const path = join(folder, 'token');
  await writeFile(path, 'first');
  const source = tokenFile(path, clock);
  await source.current();
  await writeFile(path, '');
  await clock.advance(10_000);
  expect((await source.current()).headers).toEqual({ authorization: 'Bearer first' });
  await rm(path);
  await clock.advance(10_000);
  expect((await source.current()).headers).toEqual({ authorization: 'Bearer first' });
});
