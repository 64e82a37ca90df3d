import { expect, test } from 'vitest';
import type { PodTemplate } from '../../api/pod-template.ts';
import { listProblems } from './list-problems.ts';

const problems = (spec: unknown) => listProblems({ spec } as PodTemplate);

test('a pod without lists, or with lists of maps, has no problem', () => {
  expect(problems({ containers: null, volumes: [{ name: 'a' }] })).toEqual([]);
  expect(problems({ containers: [{ name: 'app', env: null, ports: [{ containerPort: 1 }] }] })).toEqual([]);
});

test('what is no list or no map is named by its path', () => {
  expect(
    problems({
      initContainers: 'init',
      containers: [null, { name: 'app', env: {}, envFrom: [{}, 'x'] }],
      volumes: [[]],
    }),
  ).toEqual([
    'spec.initContainers of the pod must be a list',
    'spec.containers[0] of the pod must be a map',
    'spec.containers[1].env of the pod must be a list',
    'spec.containers[1].envFrom[1] of the pod must be a map',
    'spec.volumes[0] of the pod must be a map',
  ]);
});
