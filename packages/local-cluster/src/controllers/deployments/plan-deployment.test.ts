import { expect, test } from 'vitest';
import {
  type DeploymentTraits,
  deploymentOf,
  type SetTraits,
  setOf,
} from '../../../test/support/workload-objects.ts';
import { deploymentSnapshot } from './deployment-snapshot.ts';
import { planDeployment } from './plan-deployment.ts';

const progressing = (reason: string) => ({ type: 'Progressing', status: 'True' as const, reason });
const running: DeploymentTraits = {
  annotations: { 'deployment.kubernetes.io/revision': '2' },
  status: { conditions: [progressing('ReplicaSetUpdated')] },
};
const newest: SetTraits = { revision: 2, desired: 3, max: 4, made: 2 };
const older: SetTraits = { revision: 1, desired: 3, max: 4, made: 1, image: 'old' };

function plan(traits: DeploymentTraits, sets: SetTraits[], hasOldPods = false) {
  const made = sets.map((each, index) => setOf(`web-${index}`, each));
  return planDeployment({ ...deploymentSnapshot(deploymentOf({ ...running, ...traits }), made), hasOldPods });
}
const scales = (...args: Parameters<typeof plan>) => {
  const made = plan(...args);
  if (made.do !== 'settle') throw new Error(`expected a settle plan, got ${made.do}`);
  return made.scale.map(({ set, to }) => `${set.metadata.name} to ${to}`);
};

test('without a ReplicaSet of its template, one is made as large as there is room', () => {
  const first = plan({}, []);
  expect(first).toMatchObject({
    do: 'create',
    set: {
      metadata: {
        name: expect.stringMatching(/^web-[bcdfghjklmnpqrstvwxz2456789]+$/),
        labels: { app: 'web', 'pod-template-hash': expect.any(String) },
        annotations: {
          'deployment.kubernetes.io/revision': '1',
          'deployment.kubernetes.io/desired-replicas': '3',
          'deployment.kubernetes.io/max-replicas': '4',
        },
        ownerReferences: [{ kind: 'Deployment', name: 'web', uid: 'deployment-uid', controller: true }],
      },
      spec: { replicas: 3, template: { metadata: { labels: { app: 'web' } } } },
    },
  });
  expect(plan({}, [older])).toMatchObject({ do: 'create', set: { spec: { replicas: 1 } } });
});

test('a long name leaves room for the hash', () => {
  const made = plan({ name: 'w'.repeat(253) }, []);
  expect(made.do === 'create' && made.set.metadata.name).toMatch(/^w{240,}-[a-z0-9]+$/);
  expect(made.do === 'create' && made.set.metadata.name?.length).toBe(253);
});

test('a pause is told first, and only its end is told after it', () => {
  const paused = { spec: { paused: true } };
  expect(plan(paused, [newest])).toEqual({
    do: 'recordEvent',
    condition: {
      type: 'Progressing',
      status: 'Unknown',
      reason: 'DeploymentPaused',
      message: 'Deployment is paused',
    },
  });
  const told = { status: { conditions: [progressing('DeploymentPaused')] } };
  expect(plan({ ...paused, ...told }, [newest]).do).toBe('settle');
  expect(plan(told, [newest])).toMatchObject({
    do: 'recordEvent',
    condition: { reason: 'DeploymentResumed' },
  });
  const late = { status: { conditions: [progressing('ProgressDeadlineExceeded')] } };
  expect(plan({ ...paused, ...late }, [newest]).do).toBe('settle');
});

test('while it is paused nothing is rolled out, and scaling goes on', () => {
  const paused = { spec: { paused: true }, status: { conditions: [progressing('DeploymentPaused')] } };
  expect(scales(paused, [older])).toEqual([]);
  expect(scales({ ...paused, replicas: 5 }, [older])).toEqual(['web-0 to 5']);
});

test('the ReplicaSet that serves again gets the highest revision, and its Deployment tells it', () => {
  expect(
    plan({}, [
      { ...newest, revision: 1 },
      { ...older, revision: 2 },
    ]),
  ).toMatchObject({
    do: 'adjust',
    set: {
      metadata: {
        annotations: {
          'deployment.kubernetes.io/revision': '3',
          'deployment.kubernetes.io/revision-history': '1',
        },
      },
    },
  });
  expect(plan({}, [{ ...newest, revision: 3 }])).toEqual({ do: 'recordEvent', revision: '3' });
});

test('a changed minReadySeconds reaches the ReplicaSet', () => {
  expect(plan({ spec: { minReadySeconds: 5 } }, [newest])).toMatchObject({
    do: 'adjust',
    set: { spec: { minReadySeconds: 5 } },
  });
});

test('a ReplicaSet that was found and not made is told', () => {
  expect(plan({ status: {} }, [newest])).toEqual({
    do: 'recordEvent',
    revision: '2',
    condition: {
      type: 'Progressing',
      status: 'True',
      reason: 'FoundNewReplicaSet',
      message: 'Found new replica set "web-0"',
    },
  });
});

test('what is being deleted gets its status and nothing else', () => {
  const deployment = deploymentOf({ ...running, replicas: 9 });
  deployment.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  const seen = { ...deploymentSnapshot(deployment, [setOf('web-0', newest)]), hasOldPods: false };
  expect(planDeployment(seen)).toEqual({ do: 'settle', scale: [], remove: [], rollout: false });
});

test('a new size comes before a new template', () => {
  expect(scales({ replicas: 5 }, [older])).toEqual(['web-0 to 5']);
});

test('recreating: old ones end, all of their pods are gone, then the new one is made', () => {
  const recreate = { recreate: true };
  expect(scales(recreate, [older])).toEqual(['web-0 to 0']);
  const ended = { ...older, replicas: 0, present: 0 };
  expect(scales(recreate, [ended], true)).toEqual([]);
  expect(plan(recreate, [ended])).toMatchObject({ do: 'create', set: { spec: { replicas: 3 } } });
  expect(scales(recreate, [ended, { ...newest, replicas: 0, present: 0 }])).toEqual(['web-1 to 3']);
});

test('the history is cut when the last status says that all is done', () => {
  const sets = [newest, { ...older, replicas: 0, present: 0 }];
  const spec = { revisionHistoryLimit: 0 };
  const complete = { replicas: 3, updatedReplicas: 3, availableReplicas: 3, observedGeneration: 1 };
  const removed = (status: object) => {
    const made = plan({ spec, status: { ...running.status, ...status } }, sets);
    return made.do === 'settle' && made.remove.map(({ metadata }) => metadata.name);
  };
  expect(removed({})).toEqual([]);
  expect(removed(complete)).toEqual(['web-1']);
});
