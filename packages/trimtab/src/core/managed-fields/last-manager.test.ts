import { expect, test } from 'vitest';
import { lastManagerOf } from './last-manager.ts';
import type { ManagedFields } from './managed-fields.ts';

const entry = (manager: string, minute: number, fieldsV1: Record<string, unknown>): ManagedFields => ({
  manager,
  time: `2026-11-15T12:0${minute}:00Z`,
  fieldsV1,
});
const data = { 'f:data': { '.': {}, 'f:color': {} } };
const label = { 'f:metadata': { 'f:labels': { 'f:trimtab.dev/config': {} } } };
const version = { 'f:spec': { 'f:version': {} } };

test.each<[string, ManagedFields[] | undefined, string | undefined]>([
  ['the only one who wrote it', [entry('kubectl-edit', 1, data)], 'kubectl-edit'],
  ['the last of several', [entry('argocd', 2, data), entry('kubectl-edit', 1, data)], 'argocd'],
  ['not who wrote other fields since', [entry('kubectl', 1, data), entry('trimtab', 2, label)], 'kubectl'],
  ['binary data counts as well', [entry('helm', 1, { 'f:binaryData': { 'f:logo': {} } })], 'helm'],
  ['not who made the map', [entry('a', 1, data), entry('b', 2, { 'f:data': {} })], 'a'],
  ['not who made it with an entry', [entry('a', 1, data), entry('b', 2, { 'f:data': { '.': {} } })], 'a'],
  ['nobody, when nobody did', [entry('trimtab', 2, label)], undefined],
  ['nobody, when a manager has no name', [entry('', 2, data)], undefined],
  ['nobody, when the object does not tell', undefined, undefined],
  ['nobody, when the entry is empty', [{}], undefined],
])('who wrote the data: %s', (_, entries, manager) => {
  expect(lastManagerOf(entries, ['data', '*'], ['binaryData', '*'])).toBe(manager);
});

test('a field within another one, and never a subresource', () => {
  const patch = entry('kubectl-patch', 1, version);
  const status = { ...entry('somebody', 2, version), subresource: 'status' };
  expect(lastManagerOf([patch, status], ['spec', 'version'])).toBe('kubectl-patch');
  expect(
    lastManagerOf([entry('kubectl', 1, { 'f:spec': { 'f:paused': {} } })], ['spec', 'version']),
  ).toBeUndefined();
});
