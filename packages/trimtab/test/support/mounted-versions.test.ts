import { podTemplate } from '@trimtab/test-bed/objects/pod-template.ts';
import { expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { mountedByPod } from './mounted-versions.ts';
import { mountedConfigMap } from './release-story.ts';

const template = podTemplate('web');
template.spec.volumes = [{ name: 'config', configMap: { name: 'foo' } }];
template.metadata = { annotations: { [annotations.versions]: 'configmap/foo=foo-1' } };

test('a pod runs what its fields name, and not what its annotation assigns', () => {
  expect(mountedByPod(template)).toBe('foo');
  expect(mountedConfigMap({ spec: { template } })).toBe('foo-1');
});
