import { expect, test } from 'vitest';
import { configMap } from '../kinds/core/config-map.ts';
import { namespace } from '../kinds/core/namespace.ts';
import { pod } from '../kinds/core/pod.ts';
import type { ApiObject } from '../object.ts';
import type { DeleteOptions } from '../request/delete-options.ts';
import { markForDeletion } from './delete.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const options = (given: Partial<DeleteOptions> = {}): DeleteOptions => ({
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  preconditions: {},
  ...given,
});
const config = (finalizers?: string[]): ApiObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'x', ...(finalizers && { finalizers }) },
});
const runningPod = (meta: object = {}) =>
  ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'x', generation: 1, ...meta },
    spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 },
    status: { phase: 'Running' },
  }) as ApiObject;

test('an object without finalizers goes at once', () => {
  expect(markForDeletion(configMap, config(), options(), now)).toBe('remove');
});

test('an object with finalizers is marked and stays', () => {
  const object = config(['a.b/c']);
  expect(markForDeletion(configMap, object, options(), now)).toBe('mark');
  expect(object.metadata).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 0,
  });
  expect(markForDeletion(configMap, object, options(), now)).toBe('nothing');
});

test.each([
  ['Orphan', ['orphan']],
  ['Foreground', ['foregroundDeletion']],
] as const)('%s leaves the garbage collector a finalizer', (propagationPolicy, finalizers) => {
  const object = config();
  expect(markForDeletion(configMap, object, options({ propagationPolicy }), now)).toBe('mark');
  expect(object.metadata.finalizers).toEqual(finalizers);
});

test('a pod on a node gets its grace period, and its kubelet confirms with zero', () => {
  const object = runningPod();
  expect(markForDeletion(pod, object, options(), now)).toBe('mark');
  expect(object.metadata).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:30Z',
    deletionGracePeriodSeconds: 30,
    generation: 2,
  });
  expect(markForDeletion(pod, object, options(), now)).toBe('nothing');
  expect(markForDeletion(pod, object, options({ gracePeriodSeconds: 0 }), now)).toBe('remove');
});

test('a deletion can be hurried, and not put off', () => {
  const meta = { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 };
  expect(markForDeletion(pod, runningPod(meta), options({ gracePeriodSeconds: 60 }), now)).toBe('nothing');
  const hurried = runningPod(meta);
  expect(markForDeletion(pod, hurried, options({ gracePeriodSeconds: 5 }), now)).toBe('mark');
  expect(hurried.metadata).toMatchObject({
    deletionTimestamp: '2026-01-01T00:00:05Z',
    deletionGracePeriodSeconds: 5,
  });
});

test('a namespace says that it is terminating until its finalizer is gone', () => {
  const object = {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name: 'x' },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
  expect(markForDeletion(namespace, object, options(), now)).toBe('mark');
  expect(object.status.phase).toBe('Terminating');
});
