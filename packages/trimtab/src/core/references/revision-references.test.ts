import type { KubeObject } from '@trimtab/kube/wire.ts';
import { describe, expect, test } from 'vitest';
import { revisionReferences } from './revision-references.ts';

const name = 'bar-abcdefgh23';
const template = { spec: { containers: [{ name: 'app', envFrom: [{ secretRef: { name } }] }] } };
const both = [
  { kind: 'ConfigMap', name },
  { kind: 'Secret', name },
];

const references = (kind: string, more: object) =>
  revisionReferences({ kind, metadata: { name: 'db-1' }, ...more } as KubeObject);

test('the pod template of a ReplicaSet and of a ControllerRevision is read', () => {
  const found = [{ kind: 'Secret', name }];
  expect(references('ReplicaSet', { spec: { template } })).toMatchObject(found);
  expect(references('ControllerRevision', { data: { spec: { template } } })).toMatchObject(found);
});

describe('a ControllerRevision', () => {
  test.each([
    ['no data', {}],
    ['data that is null', { data: null }],
    ['no spec', { data: { spec: null } }],
    ['no template', { data: { spec: { template: null } } }],
    ['the data of another controller', { data: { spec: { instancetype: 'small', image: 'bar-1' } } }],
    ['an empty template', { data: { spec: { template: { spec: null } } } }],
  ])('with %s names nothing', (_, more) => {
    expect(references('ControllerRevision', more)).toEqual([]);
  });

  const container = { envFrom: [{ secretRef: { name } }] };
  test.each([
    ['a container that is null', { spec: { containers: [null, container] } }],
    ['volumes that are a map', { spec: { containers: [container], volumes: {} } }],
    ['a list as template', [container]],
    ['a text as template', name],
  ])('with %s counts for every version that its data names', (_, damaged) => {
    expect(references('ControllerRevision', { data: { spec: { template: damaged } } })).toEqual(both);
  });

  test('of another controller counts for a version that its data names', () => {
    expect(references('ControllerRevision', { data: { uses: [{ config: name }] } })).toEqual(both);
  });
});
