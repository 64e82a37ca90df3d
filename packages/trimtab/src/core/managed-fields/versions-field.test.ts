import { expect, test } from 'vitest';
import type { ManagedFields } from './managed-fields.ts';
import { isVersionsApplied, takeVersions } from './versions-field.ts';

const withVersions = (others: object) => ({
  'f:spec': {
    'f:template': { 'f:metadata': { 'f:annotations': { ...others, 'f:trimtab.dev/versions': {} } } },
  },
});
const helm: ManagedFields = { manager: 'helm', operation: 'Apply', fieldsV1: withVersions({ 'f:a': {} }) };
const trimtab: ManagedFields = { manager: 'trimtab', operation: 'Update', fieldsV1: withVersions({}) };

test('the annotation is taken from who applies the workload, and from nobody else', () => {
  expect(isVersionsApplied([trimtab, helm])).toBe(true);
  expect(takeVersions([trimtab, helm])).toEqual([
    { op: 'test', path: '/metadata/managedFields/1', value: helm },
    {
      op: 'replace',
      path: '/metadata/managedFields/1/fieldsV1',
      value: { 'f:spec': { 'f:template': { 'f:metadata': { 'f:annotations': { 'f:a': {} } } } } },
    },
  ]);
});

test('nothing is taken when nobody applies it', () => {
  expect(isVersionsApplied([trimtab])).toBe(false);
  expect(takeVersions([trimtab])).toEqual([]);
});
