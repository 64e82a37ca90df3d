import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  assignedObjects,
  formatAssignedVersions,
  parseAssignedVersions,
  readAssignedVersions,
} from './assigned-versions.ts';
import type { ConfigKey } from './config-key.ts';

const name = fc.stringMatching(/^[a-z0-9]([-.a-z0-9]{0,20}[a-z0-9])?$/);
const references = fc
  .array(fc.tuple(fc.constantFrom('ConfigMap', 'Secret'), name, name), { minLength: 1 })
  .map((each) => new Map(each.map(([kind, config, object]) => [`${kind}/${config}` as ConfigKey, object])));

test('assigned versions are read as they were written, sorted by config', () => {
  fc.assert(
    fc.property(references, (given) => {
      expect(readAssignedVersions(formatAssignedVersions(given))).toEqual(given);
    }),
  );
  const both = new Map<ConfigKey, string>([
    ['Secret/bar', 'bar-1'],
    ['ConfigMap/foo', 'foo-2'],
  ]);
  expect(formatAssignedVersions(both)).toBe('configmap/foo=foo-2,secret/bar=bar-1');
  expect(assignedObjects('configmap/foo=foo-2,secret/bar=bar-1')).toEqual([
    { kind: 'ConfigMap', name: 'foo-2' },
    { kind: 'Secret', name: 'bar-1' },
  ]);
});

test.each([
  '',
  'foo=foo-1',
  'configmap/foo',
  'configmap/foo=',
  'configmap/=foo-1',
  'ConfigMap/foo=foo-1',
  'configmap/foo=foo-1,',
  'configmap/foo=foo-1, secret/bar=bar-1',
  'configmap/foo=a=b',
  'configmap/Foo=foo-1',
  'configmap/foo=foo-1,configmap/foo=foo-2',
  '{"ConfigMap/foo":"foo-1"}',
])('%j is not valid, and names nothing', (text) => {
  expect(readAssignedVersions(text)).toBeUndefined();
  expect(parseAssignedVersions(text)).toEqual(new Map());
});
