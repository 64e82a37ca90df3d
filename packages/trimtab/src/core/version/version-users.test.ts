import type { KubeObject } from '@trimtab/kube/wire.ts';
import { describe, expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import type { ReportedPod } from '../../api/reload-report.ts';
import { type UsingObjects, versionUsers } from './version-users.ts';

const version = { kind: 'Secret', object: 'bar-old' } as const;
const template = { spec: { containers: [{ name: 'app', envFrom: [{ secretRef: { name: 'bar-old' } }] }] } };
const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'w', controller: true };

const object = (kind: string, name: string, more: object = {}, its: Partial<KubeObject['metadata']> = {}) =>
  ({ kind, metadata: { name, ...its }, ...more }) as KubeObject;

function users(objects: Partial<UsingObjects>, isMoving = false) {
  return versionUsers(
    version,
    { workloads: [], revisions: [], pods: [], reported: new Map(), ...objects },
    isMoving,
  );
}

const nobody = { pods: [], workloads: [], revisions: [] };

describe('a ReplicaSet', () => {
  const replicaSet = (replicas: number, ownerReferences = [owner]) =>
    object('ReplicaSet', 'web-1', { spec: { replicas, template } }, { ownerReferences });

  test.each([
    ['of a Deployment, scaled to 0, is an old revision', replicaSet(0), { revisions: ['replicaset/web-1'] }],
    ['that wants pods runs the version', replicaSet(1), { workloads: ['replicaset/web-1'] }],
    ['without a Deployment is no revision', replicaSet(0, []), { workloads: ['replicaset/web-1'] }],
  ])('%s', (_, revision, expected) => {
    expect(users({ revisions: [revision] })).toEqual({ ...nobody, ...expected });
  });
});

test('a ControllerRevision that a StatefulSet still creates pods from is no old one', () => {
  const revisions = ['db-1', 'db-2'].map((name) =>
    object('ControllerRevision', name, { data: { spec: { template } } }),
  );
  const workloads = [
    object('StatefulSet', 'db', { status: { currentRevision: 'db-2', updateRevision: 'db-3' } }),
  ];
  expect(users({ revisions, workloads })).toEqual({
    pods: [],
    workloads: ['controllerrevision/db-2'],
    revisions: ['controllerrevision/db-1'],
  });
});

describe('a workload', () => {
  const assigned = JSON.stringify({ 'Secret/bar': 'bar-old' });
  const record = JSON.stringify({ activation: 'a', previous: { 'Secret/bar': 'bar-old' } });

  test.each([
    ['template', { spec: { template } }, {}],
    ['versions for a reload', {}, { [annotations.versions]: assigned }],
    ['pin', {}, { [annotations.pin]: assigned }],
  ])('uses the version by its %s', (_, more, its) => {
    const workloads = [object('Deployment', 'web', more, { annotations: its })];
    expect(users({ workloads })).toEqual({ ...nobody, workloads: ['deployment/web'] });
  });

  test('may return to its previous version while an activation is in progress', () => {
    const workloads = [
      object('Deployment', 'web', {}, { annotations: { [annotations.assignment]: record } }),
    ];
    expect(users({ workloads }, true)).toEqual({ ...nobody, workloads: ['deployment/web'] });
    expect(users({ workloads }, false)).toEqual(nobody);
  });
});

test('pods count until they end, by their spec or by what their agent reports', () => {
  const pods = [
    object('Pod', 'running', { spec: template.spec, status: { phase: 'Running' } }),
    object('Pod', 'ended', { spec: template.spec, status: { phase: 'Succeeded' } }),
    object('Pod', 'reloaded', {}, { uid: 'r' }),
    object('Pod', 'other', {}, { uid: 'o' }),
  ];
  const report: ReportedPod = {
    ...{ name: 'reloaded', uid: 'r', sequence: 1 },
    runs: [{ config: 'Secret/bar', object: 'bar-old' }],
  };
  expect(users({ pods, reported: new Map([['r', report]]) }).pods).toEqual(['running', 'reloaded']);
});
