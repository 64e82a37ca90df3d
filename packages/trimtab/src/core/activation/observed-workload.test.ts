import { expect, test } from 'vitest';
import { annotations, labels } from '../../api/names.ts';
import { assignmentHash } from '../references/assignment.ts';
import type { ConfigKey } from '../references/config-key.ts';
import type { ReferenceWay } from '../references/reference-way.ts';
import { workload as reduceWorkload } from '../workload/reduce-workload.ts';
import { workloadState } from './observed-workload.ts';

const foo: ConfigKey = 'ConfigMap/foo';
const configOf = (_: string, name: string) => (/^foo(-\d)?$/.test(name) ? 'foo' : undefined);

/** Whether a template is to be written again, in the way that the workload wants. The label says that foo-1 was assigned. */
function isMiswritten(way: ReferenceWay, name: string, versions?: string): boolean {
  const workload = reduceWorkload('Deployment')({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      namespace: 'ns',
      name: 'web',
      labels: { [labels.assigned]: assignmentHash(new Map([[foo, 'foo-1']])) },
    },
    spec: {
      template: {
        ...(versions && { metadata: { annotations: { [annotations.versions]: versions } } }),
        spec: { volumes: [{ name: 'c', configMap: { name } }] },
      },
    },
  } as never);
  const state = workloadState({
    workload,
    configOf,
    current: new Map([[foo, 'foo-1']]),
    isReloaded: false,
    way,
    versionOf: (_, object) => (/^foo-\d$/.test(object) ? 'foo' : undefined),
    pods: [],
  });
  return state.isMiswritten === true;
}

test('a template that assigns versions in the other way is written again', () => {
  expect(isMiswritten('admission', 'foo-1')).toBe(true);
  expect(isMiswritten('template', 'foo', 'configmap/foo=foo-1')).toBe(true);
  expect(isMiswritten('template', 'foo-1')).toBe(false);
  expect(isMiswritten('admission', 'foo', 'configmap/foo=foo-1')).toBe(false);
});

test('versions that another client chose are written into the template where admission is gone', () => {
  expect(isMiswritten('template', 'foo', 'configmap/foo=foo-0')).toBe(true);
});

test('a template that names a version of the choice of another client stays so: its pods get that version', () => {
  expect(isMiswritten('admission', 'foo-0')).toBe(false);
});

test('what is no version is not written into a template, which would no longer tell the config', () => {
  expect(isMiswritten('template', 'foo', 'configmap/foo=nothing')).toBe(false);
});
