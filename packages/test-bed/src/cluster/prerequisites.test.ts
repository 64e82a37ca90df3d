import { expect, test } from 'vitest';
import { debianPackages, missingForLevel2 } from './prerequisites.ts';

const everything = (name: string) => `/usr/bin/${name}`;

test('root on Linux with all packages can run containers', () => {
  expect(missingForLevel2({ platform: 'linux', uid: 0, find: everything })).toBeUndefined();
});

test('each missing package is named, with the command that installs it', () => {
  const find = (name: string) => (name === 'runc' || name === 'nft' ? undefined : everything(name));
  expect(missingForLevel2({ platform: 'linux', uid: 0, find })).toEqual({
    reasons: ['missing Debian packages: runc, nftables'],
    remedy: 'apt-get update && apt-get install -y --no-install-recommends runc nftables',
  });
});

test('without root all obstacles are named at once', () => {
  const missing = missingForLevel2({ platform: 'linux', uid: 1000, find: () => undefined });
  expect(missing?.reasons).toHaveLength(2);
  expect(missing?.remedy).toContain(debianPackages().join(' '));
});

test('another system has no remedy', () => {
  expect(missingForLevel2({ platform: 'darwin', uid: 501, find: everything })).toEqual({
    reasons: ['real containers need Linux, and this machine runs darwin'],
  });
});
