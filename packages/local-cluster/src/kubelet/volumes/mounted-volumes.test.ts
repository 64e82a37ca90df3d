import { expect, test } from 'vitest';
import type { Pod, VolumeMount } from '../../objects/pod.ts';
import { mountedVolumes, nestedMountPoints, showsPodMetadata } from './mounted-volumes.ts';

const podWith = (mounts: VolumeMount[], initMounts: VolumeMount[] = []): Pod => ({
  metadata: { name: 'x' },
  spec: {
    initContainers: [{ name: 'init', volumeMounts: initMounts }],
    containers: [{ name: 'app', volumeMounts: mounts }],
    volumes: ['a', 'b', 'c'].map((name) => ({ name, emptyDir: {} })),
  },
});
const at = (name: string, mountPath: string, more = {}) => ({ name, mountPath, ...more });

test('a volume that no container mounts is ignored', () => {
  const pod = podWith([at('a', '/a')], [at('c', '/c')]);
  expect(mountedVolumes(pod).map(({ name }) => name)).toEqual(['a', 'c']);
});

test.each([
  [[at('a', '/etc/a'), at('b', '/etc/a/in/b')], ['in/b']],
  [[at('a', '/etc/a/'), at('b', '/etc/a/b'), at('c', '/etc/a/b/c')], ['b']],
  [[at('a', '/etc/a'), at('b', '/etc/ab')], []],
  [[at('a', '/etc/a', { subPath: 'key' }), at('b', '/etc/a/b')], []],
  [[at('b', '/etc/a')], []],
])('of %j, the first has room for %j', (mounts, expected) => {
  expect(nestedMountPoints(podWith(mounts), 'a')).toEqual(expected);
});

test.each([
  [{ downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: "metadata.labels['app']" } }] } }, true],
  [{ downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'metadata.name' } }] } }, false],
  [
    {
      projected: {
        sources: [
          { downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'metadata.annotations' } }] } },
        ],
      },
    },
    true,
  ],
  [{ emptyDir: {} }, false],
])('whether %j follows the pod’s labels: %s', (source, expected) => {
  expect(showsPodMetadata({ name: 'v', ...source })).toBe(expected);
});
