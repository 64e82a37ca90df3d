import { describe, expect, test } from 'vitest';
import { debianPackages } from '../prerequisites.ts';
import { binaryEntries } from './load-binary-image.ts';
import { programImages, programPackages } from './program-images.ts';
import { requireProgram } from './program-layer.ts';
import { sharedLibraries } from './shared-libraries.ts';

test('a missing program is named with its package, and no bed needs it', () => {
  const { postgres } = programImages;
  expect(() => requireProgram(postgres, () => undefined)).toThrow(
    /^image postgres:15 needs the Debian package postgresql-15, .* apt-get install -y --no-install-recommends postgresql-15$/,
  );
  expect(() => requireProgram(postgres, (name) => name)).not.toThrow();
  expect(debianPackages().filter((name) => programPackages().includes(name))).toEqual([]);
});

test('every image has a tag that is not `latest`, which Kubernetes would pull', () => {
  for (const { name } of Object.values(programImages)) expect(name).toMatch(/:v?\d/);
});

describe.runIf(process.platform === 'linux')('the libraries of a program', () => {
  test('are those that ldd lists, each once', () => {
    const libraries = sharedLibraries([process.execPath, process.execPath]);
    expect(new Set(libraries).size).toBe(libraries.length);
    expect(libraries.join()).toMatch(/libc\.so/);
  });

  test('are none for a file without libraries', () => {
    expect(sharedLibraries([import.meta.filename])).toEqual([]);
    expect(sharedLibraries([])).toEqual([]);
  });

  test('are in an image with the binary and its links', () => {
    const entries = binaryEntries({ binary: process.execPath, paths: ['/srv/agent', '/bin/link'] });
    expect(entries).toContainEqual(expect.objectContaining({ type: 'file', path: 'srv/agent', mode: 0o755 }));
    expect(entries).toContainEqual({ type: 'symlink', path: 'bin/link', target: '/srv/agent' });
    expect(entries.some(({ path }) => /libc\.so/.test(path))).toBe(true);
  });
});
