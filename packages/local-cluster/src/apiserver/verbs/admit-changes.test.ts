import { expect, test } from 'vitest';
import type { Attributes } from '../admission/admission.ts';
import type { ApiObject } from '../object.ts';
import { admitChanges } from './admit-changes.ts';
import type { VerbRequest } from './verb-request.ts';

const entry = {
  manager: 'me',
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': {} },
};

/** Returns managedFields and the warnings after a webhook has changed managedFields from `before` to `after`. */
async function admitted(before: object[] | undefined, after: object[]) {
  const object: ApiObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'foo' } };
  if (before !== undefined) object.metadata.managedFields = before;
  const warnings: string[] = [];
  const admission = {
    mutate: async (attributes: Attributes) => {
      (attributes.object as ApiObject).metadata.managedFields = after;
    },
  };
  const request = { services: { admission }, warnings } as unknown as VerbRequest;
  await admitChanges(request, { object } as Attributes);
  return { left: object.metadata.managedFields, warnings };
}

test('a webhook may change the record of managers', async () => {
  const other = [{ ...entry, manager: 'webhook' }];
  expect(await admitted([entry], other)).toEqual({ left: other, warnings: [] });
});

test.each([
  ['operation must be `Apply` or `Update`', { ...entry, operation: 'Guess' }],
  ['apiVersion must not be empty', { ...entry, apiVersion: '' }],
  ['missing fieldsType in managed fields entry 0', { ...entry, fieldsType: '' }],
  ['invalid fieldsType "FieldsV2" in managed fields entry 0', { ...entry, fieldsType: 'FieldsV2' }],
])('a webhook that breaks it is told off, and the record stays: %s', async (why, broken) => {
  const warning = `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${why}`;
  expect(await admitted([entry], [broken])).toEqual({ left: [entry], warnings: [warning] });
  expect(await admitted(undefined, [broken])).toEqual({ left: undefined, warnings: [warning] });
});
