import { expect, test } from 'vitest';
import { injected } from '../../api/injected-pod.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { eject } from './eject.ts';

test('a pod that is not injected is returned as it is', () => {
  const pod: PodTemplate = { spec: { initContainers: [{ name: injected.container }] } };
  expect(eject(pod)).toEqual({ pod });
  expect(eject({})).toEqual({ pod: {} });
});

test.each(['', 'null', '{}', '[]', '{"volumes":[]'])('a modified record (%s) is a problem', (value) => {
  const env = [{ name: injected.env.original, value }];
  expect(eject({ spec: { initContainers: [{ name: injected.container, env }] } })).toEqual({
    problems: [expect.stringContaining('was modified, so the original pod cannot be restored')],
  });
});
