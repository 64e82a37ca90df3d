import { expect, test } from 'vitest';
import { packagePath } from './bundled-packages.ts';
import { lockedPackage } from './package-lock.ts';

test.each([
  ['node_modules/pino/lib/proto.js', 'node_modules/pino'],
  ['node_modules/@pinojs/redact/index.js', 'node_modules/@pinojs/redact'],
  ['node_modules/a/node_modules/b/c.js', 'node_modules/a/node_modules/b'],
  ['packages/kube/src/errors.ts', undefined],
])('%s belongs to %s', (file, expected) => {
  expect(packagePath(file)).toBe(expected);
});

test('a package has the version, checksum and licence of the lockfile', () => {
  expect(lockedPackage('node_modules/yaml')).toEqual({
    name: 'yaml',
    version: expect.stringMatching(/^2\./),
    integrity: expect.stringMatching(/^sha512-/),
    license: 'ISC',
  });
});
