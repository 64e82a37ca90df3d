import { expect, test } from 'vitest';
import { deployment } from './deployment.ts';
import { summaryOf } from './summary.ts';

test('a Deployment that does not get on says how far it is and why', () => {
  const web = deployment('web');
  web.metadata.generation = 2;
  web.status = {
    observedGeneration: 1,
    replicas: 1,
    updatedReplicas: 1,
    conditions: [
      { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable' },
      { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' },
      { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'quota' },
    ],
  };
  expect(summaryOf(web)).toBe(
    'Deployment web: desired 1 replicas 1 updatedReplicas 1, generation 2 not observed yet (1), ' +
      'Available=False (MinimumReplicasUnavailable), ReplicaFailure=True (FailedCreate: quota)',
  );
});

test('a pod that crashes says which container, how it ended and how often', () => {
  const pod = {
    kind: 'Pod',
    metadata: { name: 'web-1' },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'app',
          ready: false,
          restartCount: 2,
          state: { running: null, terminated: { exitCode: 1, reason: 'Error', message: 'no such key' } },
        },
      ],
    },
  };
  expect(summaryOf(pod)).toBe(
    'Pod web-1: Running, container app terminated (Error, exit 1, no such key), not ready, 2 restarts',
  );
});

test('an object without a status says at least which one it is', () => {
  expect(summaryOf({ kind: 'ConfigMap', metadata: { name: 'foo', resourceVersion: '7' } })).toBe(
    'ConfigMap foo: resourceVersion 7',
  );
});
