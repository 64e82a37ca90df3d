import { expect, test } from 'vitest';
import { annotations as names } from '../../api/names.ts';
import { formatAssignedVersions } from '../references/assigned-versions.ts';
import { assignmentHash, readTemplate } from '../references/assignment.ts';
import type { ConfigKey } from '../references/config-key.ts';
import { reloadState } from './reload-state.ts';

const foo: ConfigKey = 'ConfigMap/foo';
const assigned = new Map([[foo, 'foo-2']]);
const annotations = { [names.restart]: 'false' };
const templateAnnotations = { [names.restart]: 'false', [names.copied]: 'restart' };
const ready = {
  annotations,
  templateAnnotations,
  versions: formatAssignedVersions(assigned),
  label: assignmentHash(assigned),
};
const naming = (...volumes: string[]) =>
  readTemplate(
    volumes.map((name) => ({ kind: 'ConfigMap', name })),
    (_, name) => (name.startsWith('foo') ? 'foo' : undefined),
  );

test('the annotation holds the versions, and the template names the configs themselves', () => {
  expect(reloadState(naming('foo'), ready)).toEqual({ references: assigned, assignment: 'ours' });
});

test.each([
  ['the annotation was lost', naming('foo'), { versions: undefined }],
  ['the annotation was damaged', naming('foo'), { versions: '{' }],
  ['an undo restored an older annotation', naming('foo'), { versions: 'configmap/foo=foo-1' }],
  ['the label was lost', naming('foo'), { label: undefined }],
  ['the template still names a version', naming('foo-1'), {}],
  ['the template names a version in one of two places', naming('foo', 'foo-1'), {}],
  ['the template has no annotation for its pods', naming('foo'), { templateAnnotations: {} }],
])('it is assigned again when %s', (_, reading, lost) => {
  expect(reloadState(reading, { ...ready, ...lost }).assignment).toBe('unassigned');
});

test('a workload that references no managed config is left alone', () => {
  expect(reloadState(naming('bar'), ready).assignment).toBe('none');
});
