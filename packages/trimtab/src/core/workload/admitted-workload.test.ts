import { expect, test } from 'vitest';
import { annotations, labels } from '../../api/names.ts';
import { admittedWorkload } from './admitted-workload.ts';
import { workload as reduceWorkload } from './reduce-workload.ts';

const reduce = reduceWorkload('Deployment');
const record = { [annotations.assignment]: '{"activation":"a-1","previous":{}}' };
const web = (replicas: number, more: Record<string, string> = {}) => ({
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'ns', generation: 2, annotations: more },
  spec: {
    replicas,
    template: { spec: { containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'foo' } }] }] } },
  },
  status: { observedGeneration: 2, replicas, updatedReplicas: replicas, readyReplicas: replicas },
});
const foo0 = {
  references: reduce(web(1)).references.map((each) => ({ ...each, name: 'foo-0' })),
  label: 'hash',
};

test('a workload has the versions and the label that admission gives it', () => {
  const { references, labels: its } = admittedWorkload('Deployment', web(2), web(1), foo0);
  expect(references.map(({ name }) => name)).toEqual(['foo-0']);
  expect(its[labels.assigned]).toBe('hash');
});

test('its health and its record are those of the stored object', () => {
  const before = { ...web(1, record), status: { readyReplicas: 1 } };
  const forged = web(3, { [annotations.assignment]: '{}' });
  const { annotations: its, observed } = admittedWorkload('Deployment', forged, before, foo0);
  expect(its[annotations.assignment]).toBe(record[annotations.assignment]);
  expect(observed).toMatchObject({ desired: 3, replicas: 0, ready: 1 });
});

test('the status and the record in the manifest of a new workload are not trusted', () => {
  const { annotations: its, observed } = admittedWorkload('Deployment', web(1, record), undefined, foo0);
  expect(its).toEqual({});
  expect(observed).toMatchObject({ desired: 1, replicas: 0, ready: 0, observedGeneration: 0 });
});
