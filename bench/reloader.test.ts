import { expect, it } from 'vitest';
import { reloaderBinary } from './reloader.ts';

it('is not measured without RELOADER_BIN', async () => {
  expect(await reloaderBinary(undefined)).toBeUndefined();
  expect(await reloaderBinary('')).toBeUndefined();
});

it('is an executable file', async () => {
  expect(await reloaderBinary(process.execPath)).toBe(process.execPath);
});

it.each([
  ['does not exist', '/no/such/reloader'],
  ['is not executable', import.meta.filename],
  ['is a folder', import.meta.dirname],
])('is refused when it %s', async (_, path) => {
  await expect(reloaderBinary(path)).rejects.toThrow(
    `RELOADER_BIN names ${path}, which is not an executable file`,
  );
});
