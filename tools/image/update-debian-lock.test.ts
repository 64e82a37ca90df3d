import { expect, test } from 'vitest';
import { debianRelease, packageOf } from './update-debian-lock.ts';

test('a package is pinned by what apt-cache prints', () => {
  const text = [
    'Package: libc6',
    'Source: glibc',
    'Version: 2.36-9+deb12u14',
    'Architecture: arm64',
    'Filename: pool/main/g/glibc/libc6_2.36-9+deb12u14_arm64.deb',
    'SHA256: abc',
    'Description: GNU C Library',
  ].join('\n');
  expect(packageOf(text)).toEqual({
    name: 'libc6',
    version: '2.36-9+deb12u14',
    architecture: 'arm64',
    filename: 'pool/main/g/glibc/libc6_2.36-9+deb12u14_arm64.deb',
    sha256: 'abc',
  });
  expect(() => packageOf('Package: libc6\n')).toThrow('no field Version');
});

test('packages are pinned on Debian only', () => {
  expect(debianRelease('ID=debian\nVERSION_CODENAME=bookworm\n')).toBe('bookworm');
  expect(() => debianRelease('ID=ubuntu\nVERSION_CODENAME=noble\n')).toThrow('needs a machine with Debian');
});
