import type { KubeObject } from '@trimtab/kube/wire.ts';
import { describe, expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { ReportedPod } from '../../api/reload-report.ts';
import {
  objectsPerStep,
  type UsingObjects,
  type VersionUsers,
  versionUserIndex,
  versionUsers,
} from './version-users.ts';

const version = { kind: 'Secret', object: 'bar-old' } as const;
const template = { spec: { containers: [{ name: 'app', envFrom: [{ secretRef: { name: 'bar-old' } }] }] } };
const owner = (kind: string, name: string) => ({
  ...{ apiVersion: 'apps/v1', kind, name, uid: name, controller: true },
});

const object = (kind: string, name: string, more: object = {}, its: Partial<KubeObject['metadata']> = {}) =>
  ({ kind, metadata: { name, ...its }, ...more }) as KubeObject;

function all(objects: Partial<UsingObjects>): UsingObjects {
  return {
    ...{ workloads: [], creators: [], revisions: [], pods: [], reported: new Map(), rollouts: [] },
    ...objects,
  };
}

function users(objects: Partial<UsingObjects>) {
  return versionUsers(all(objects))(version);
}

const nobody: VersionUsers = {
  ...{ pods: [], workloads: [], pinned: [], returning: [], creators: [], live: [], revisions: [] },
};

describe('a ReplicaSet', () => {
  const replicaSet = (replicas: number, ownerReferences = [owner('Deployment', 'web')]) =>
    object('ReplicaSet', 'web-1', { spec: { replicas, template } }, { ownerReferences });
  const live = (by?: string) => ({ live: [{ revision: 'replicaset/web-1', owner: by }] });

  test.each([
    ['of a Deployment, scaled to 0, is an old revision', replicaSet(0), { revisions: ['replicaset/web-1'] }],
    ['that wants pods runs the version', replicaSet(1), live('deployment/web')],
    ['without a Deployment is no revision', replicaSet(0, []), live()],
    [
      'of another controller may start pods, also scaled to 0',
      replicaSet(0, [owner('Rollout', 'web')]),
      live('rollout/web'),
    ],
  ])('%s', (_, revision, expected) => {
    expect(users({ revisions: [revision] })).toEqual({ ...nobody, ...expected });
  });
});

describe('a ControllerRevision', () => {
  const data = { spec: { template } };
  const revision = (name: string, more: object, by = 'StatefulSet') =>
    object('ControllerRevision', name, more, { ownerReferences: [owner(by, 'db')] });

  test('that a StatefulSet still creates pods from is no old one', () => {
    const revisions = ['db-1', 'db-2'].map((name) => revision(name, { data }));
    const status = { currentRevision: 'db-2', updateRevision: 'db-3' };
    const workloads = [object('StatefulSet', 'db', { status })];
    expect(users({ revisions, workloads })).toEqual({
      ...nobody,
      live: [{ revision: 'controllerrevision/db-2', owner: 'statefulset/db' }],
      revisions: ['controllerrevision/db-1'],
    });
  });

  test('of another controller may start pods', () => {
    expect(users({ revisions: [revision('db-1', { data }, 'CloneSet')] })).toEqual({
      ...nobody,
      live: [{ revision: 'controllerrevision/db-1', owner: 'cloneset/db' }],
    });
  });

  test.each([
    ['no data', {}],
    ['data that is null', { data: null }],
    ['no template', { data: { spec: {} } }],
    ['a container that is null', { data: { spec: { template: { spec: { containers: [null] } } } } }],
  ])('with %s uses nothing', (_, more) => {
    expect(users({ revisions: [revision('db-1', more)] })).toEqual(nobody);
  });
});

describe('a workload', () => {
  const assigned = 'secret/bar=bar-old';
  const record = JSON.stringify({ activation: 'a-1', previous: { 'Secret/bar': 'bar-old' } });

  test.each([
    ['template', { spec: { template } }, {}, []],
    ['versions for a reload', {}, { [annotations.versions]: assigned }, []],
    ['pin', {}, { [annotations.pin]: assigned }, ['deployment/web']],
  ])('uses the version by its %s', (_, more, its, pinned) => {
    const workloads = [object('Deployment', 'web', more, { annotations: its })];
    expect(users({ workloads })).toEqual({ ...nobody, workloads: ['deployment/web'], pinned });
  });

  const rollout = (name: string, status: object) =>
    ({
      metadata: { annotations: { [annotations.workloads]: '["Deployment/web"]' } },
      ...{ spec: { config: { kind: 'Secret', name } }, status },
    }) as unknown as ConfigRollout;

  test.each(['bar', 'another'])('may return to its previous version while %s is activated', (name) => {
    const its = { annotations: { [annotations.assignment]: record } };
    const workloads = [object('Deployment', 'web', {}, its)];
    const moving = rollout(name, { target: { object: 'new' } });
    expect(users({ workloads, rollouts: [moving] })).toEqual({ ...nobody, returning: ['deployment/web'] });
    expect(users({ workloads, rollouts: [rollout(name, {})] })).toEqual(nobody);
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

describe('an object that creates pods without a rolling update', () => {
  const assigning = {
    metadata: { annotations: { [annotations.versions]: 'secret/bar=bar-old' } },
    spec: { containers: [{ name: 'app', envFrom: [{ secretRef: { name: 'bar' } }] }] },
  };

  test.each([
    ['cronjob/report', object('CronJob', 'report', { spec: { jobTemplate: { spec: { template } } } })],
    [
      'cronjob/assigned',
      object('CronJob', 'assigned', { spec: { jobTemplate: { spec: { template: assigning } } } }),
    ],
    ['job/import', object('Job', 'import', { spec: { template }, status: { active: 0 } })],
    [
      'replicationcontroller/old',
      object('ReplicationController', 'old', { spec: { replicas: 0, template: assigning } }),
    ],
  ])('uses the version while it has no pod: %s', (creator, each) => {
    expect(users({ creators: [each] })).toEqual({ ...nobody, creators: [creator] });
  });

  test.each(['Complete', 'Failed'])('uses nothing as a Job that is %s', (type) => {
    const ended = object('Job', 'import', {
      spec: { template },
      status: { conditions: [{ type, status: 'True' }] },
    });
    expect(users({ creators: [ended] })).toEqual(nobody);
  });
});

test('5,000 pods and 10,000 ReplicaSets are read once, in steps, whatever the number of versions', () => {
  let reads = 0;
  const counted = (each: KubeObject) =>
    new Proxy(each, {
      get(target, property, receiver) {
        if (property === 'spec') reads += 1;
        return Reflect.get(target, property, receiver);
      },
    });
  const pods = Array.from({ length: 5_000 }, (_, n) =>
    counted(object('Pod', `web-1-${n}`, { spec: template.spec })),
  );
  const revisions = Array.from({ length: 10_000 }, (_, n) =>
    counted(
      object(
        'ReplicaSet',
        `web-${n}`,
        { spec: { replicas: 0, template } },
        { ownerReferences: [owner('Deployment', 'web')] },
      ),
    ),
  );
  const steps = versionUserIndex(all({ pods, revisions }));
  let yields = 0;
  let step = steps.next();
  while (!step.done) {
    yields += 1;
    step = steps.next();
  }
  expect(yields).toBe(15_000 / objectsPerStep);
  const readOnce = reads;
  for (let n = 0; n < 100; n++) {
    const found = step.value({ kind: 'Secret', object: n === 0 ? 'bar-old' : `bar-${n}` });
    expect([found.pods.length, found.revisions.length]).toEqual(n === 0 ? [5_000, 10_000] : [0, 0]);
  }
  expect(reads).toBe(readOnce);
});
