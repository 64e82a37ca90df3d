import { afterEach, expect, test, vi } from 'vitest';
import { bedFolder, createBedFolder } from './bed-folder.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each(['', 'Big', 'a/b', '..', '-a', 'a-', 'x'.repeat(31)])("'%s' is no name for a bed", (name) => {
  expect(() => bedFolder(name)).toThrow('is not a valid bed name');
});

test('beds of the same name in two cache folders differ outside of them', () => {
  vi.stubEnv('XDG_CACHE_HOME', '/one');
  const one = bedFolder('same');
  vi.stubEnv('XDG_CACHE_HOME', '/two');
  expect(bedFolder('same').id).not.toBe(one.id);
});

test('a path that is too long for sockets is refused before anything starts', () => {
  vi.stubEnv('XDG_CACHE_HOME', `/tmp/${'long/'.repeat(30)}`);
  expect(() => createBedFolder(bedFolder('any'))).toThrow('too long');
});
