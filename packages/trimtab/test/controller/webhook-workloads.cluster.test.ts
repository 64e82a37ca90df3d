import { daemonSets, statefulSets } from '@trimtab/kube/resource.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { firstVersion, labelFor, labelOf, managed, namesOf, WebhookScene } from './webhook-scene.ts';

let scene: WebhookScene;

beforeAll(async () => {
  scene = await WebhookScene.open();
});

afterAll(() => scene?.close());

test.each([
  ['StatefulSet', statefulSets, statefulSet],
  ['DaemonSet', daemonSets, daemonSet],
] as const)('a managed %s starts with its copy', async (_, resource, build) => {
  const optIn = annotated({ [annotations.manage]: 'foo' });
  await scene.apply(build('db', mountingConfigMap('foo', '/etc/config'), optIn));
  const created = await scene.admin.get<Deployment>(resource, { namespace: scene.namespace, name: 'db' });
  expect(namesOf(created)).toEqual([firstVersion]);
  expect(labelOf(created)).toBe(labelFor(firstVersion));
});

test('server-side apply of the same manifest changes nothing', async () => {
  await scene.apply(managed('ssa'), '--server-side');
  const { metadata } = await scene.get('ssa');
  await scene.apply(managed('ssa'), '--server-side');
  const again = await scene.get('ssa');
  expect(namesOf(again)).toEqual([firstVersion, firstVersion]);
  expect(again.metadata.generation).toBe(metadata.generation);
});

test('server-side apply changes nothing after the controller moved it, forced or not', async () => {
  const next = 'foo-cccccccccc';
  await scene.givenVersion(next, { state: 'being-current' });
  const moved = await scene.move('ssa', next);
  expect(namesOf(moved)).toEqual([next, next]);
  expect(moved.metadata.annotations).not.toHaveProperty(annotations.move);
  for (const flags of [[], ['--force-conflicts']]) {
    await scene.apply(managed('ssa'), '--server-side', ...flags);
    const applied = await scene.get('ssa');
    expect(namesOf(applied)).toEqual([next, next]);
    expect(applied.metadata.generation).toBe(moved.metadata.generation);
  }
});

test('a workload whose config does not exist is admitted as it is', async () => {
  await scene.apply(managed('early', 'later'));
  expect(namesOf(await scene.get('early'))).toEqual(['later', 'later']);
});

test('a Deployment that did not opt in never reaches the controller', async () => {
  const before = scene.reviews();
  await scene.apply(deployment('stranger', mountingConfigMap('foo', '/etc/config')));
  await scene.apply(deployment('stranger', mountingConfigMap('foo', '/etc/other')));
  expect(scene.reviews()).toBe(before);
});
