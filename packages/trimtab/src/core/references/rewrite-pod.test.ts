import { expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { assignedNames } from './rewrite-pod.ts';

const pod = (versions?: string): PodTemplate => ({
  metadata: { annotations: versions === undefined ? {} : { [annotations.versions]: versions } },
  spec: {
    volumes: [{ name: 'a', configMap: { name: 'foo' } }],
    initContainers: [{ name: 'init', envFrom: [{ secretRef: { name: 'foo' } }] }],
    containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'other' } }] }],
    ephemeralContainers: [{ name: 'debug', envFrom: [{ configMapRef: { name: 'foo' } }] }],
  },
});

test('the assigned versions are written wherever the pod names a config of this kind and name', () => {
  expect(assignedNames(pod('configmap/foo=foo-1'))).toEqual([
    { pointer: '/spec/volumes/0/configMap/name', name: 'foo-1' },
    { pointer: '/spec/ephemeralContainers/0/envFrom/0/configMapRef/name', name: 'foo-1' },
  ]);
  expect(assignedNames(pod('secret/foo=foo-2'))).toEqual([
    { pointer: '/spec/initContainers/0/envFrom/0/secretRef/name', name: 'foo-2' },
  ]);
});

test.each([undefined, 'nonsense', 'configmap/foo=foo', 'configmap/missing=missing-1'])(
  'nothing is written for %j',
  (versions) => {
    expect(assignedNames(pod(versions))).toEqual([]);
  },
);
