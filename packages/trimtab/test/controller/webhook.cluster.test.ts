import { deployments, replicaSets } from '@trimtab/kube/resource.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromConfigMap, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { Then } from '@trimtab/test-bed/story/then.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import { patchOf } from './installed-manifests.ts';
import { firstVersion, labelFor, labelOf, managed, namesOf, WebhookScene } from './webhook-scene.ts';

/** These tests depend on each other: they follow one managed Deployment, `web`. */

let scene: WebhookScene;
let then: Then;

beforeAll(async () => {
  scene = await WebhookScene.open();
  then = new Then(scene.admin, scene.namespace);
});

afterAll(() => scene?.close());

const rolloutOfFoo = () => ({ namespace: scene.namespace, name: 'configmap-foo' });

test('a dry run makes no version, and names the original', async () => {
  const { stdout } = await scene.apply(managed('web'), '--dry-run=server', '--output=json');
  expect(namesOf(JSON.parse(stdout))).toEqual(['foo', 'foo']);
  const { items } = await scene.admin.list(configRollouts, { namespace: scene.namespace });
  expect(items).toEqual([]);
});

test('it has exactly one ReplicaSet, already with its copy, which was made on the way', async () => {
  await scene.apply(managed('web'));
  const web = await scene.get('web');
  expect(namesOf(web)).toEqual([firstVersion, firstVersion]);
  expect(labelOf(web)).toBe(labelFor(firstVersion));
  await then.eventually<Deployment>(
    'web has its pod',
    deployments,
    'web',
    ({ status }) => status?.replicas === 1,
  );
  const { items } = await scene.admin.list(replicaSets, {
    namespace: scene.namespace,
    labelSelector: 'app=web',
  });
  expect(items).toHaveLength(1);
});

test('applied again, as its author wrote it, it stays as it is', async () => {
  const { metadata } = await scene.get('web');
  await scene.apply(managed('web'));
  expect((await scene.get('web')).metadata.generation).toBe(metadata.generation);
  const { stdout } = await scene.apply(managed('web'), '--dry-run=server', '--output=json');
  expect(namesOf(JSON.parse(stdout))).toEqual([firstVersion, firstVersion]);
});

test('it is not reviewed when nothing about its template changes', async () => {
  const before = scene.reviews();
  await scene.kubectl(['annotate', 'deployment/web', 'note=hello']);
  await scene.kubectl(['scale', 'deployment/web', '--replicas=2']);
  await scene.kubectl(['patch', 'deployment/web', '--patch', '{"spec":{"replicas":1}}']);
  expect(scene.reviews()).toBe(before);
});

test('undone onto rejected content, its owner is warned and told the way back', async () => {
  const bad = 'foo-bbbbbbbbbb';
  const { metadata } = await scene.admin.get(configRollouts, rolloutOfFoo());
  const rejected = JSON.stringify({ reason: 'container app: exit code 1', sets: [] });
  await scene.givenVersion(bad, {
    rolloutUid: metadata.uid ?? '',
    state: 'rejected',
    annotations: { [annotations.rejected]: rejected },
  });
  for (const [object, revision] of [
    [bad, '2'],
    [firstVersion, '3'],
  ] as const) {
    await scene.move('web', object);
    await then.eventually<Deployment>(
      `web is at revision ${revision}`,
      deployments,
      'web',
      (web) => web.metadata.annotations?.['deployment.kubernetes.io/revision'] === revision,
    );
  }
  const undo = await scene.kubectl(['rollout', 'undo', 'deployment/web']);
  expect(undo.code).toBe(0);
  expect(undo.stderr).toContain(
    `Warning: trimtab: version "${bad}" of ConfigMap foo was rolled back before: container app: exit code 1`,
  );
  expect(undo.stderr).toContain('kubectl rollout undo deployment/web --to-revision=3');
  const undone = await scene.get('web');
  expect(namesOf(undone)).toEqual([bad, bad]);
  expect(labelOf(undone)).toBe(labelFor(firstVersion));
  const back = await scene.kubectl(['rollout', 'undo', 'deployment/web', '--to-revision=3']);
  expect(back.stderr).not.toContain('trimtab:');
  expect(namesOf(await scene.get('web'))).toEqual([firstVersion, firstVersion]);
});

test('stripped of every mark by `kubectl replace`, it is ours as before, and its owner is told', async () => {
  const { cluster, trimtab, namespace } = scene;
  const enlisted = { annotations: { [annotations.workloads]: '["Deployment/web"]' } };
  await trimtab.patch(configRollouts, rolloutOfFoo(), patchOf(enlisted));
  await waitFor('the cache knows that web is managed', async () =>
    cluster.rollouts.cache.keysBy('workload', `${namespace}/Deployment/web`).size > 0
      ? { met: true }
      : { seen: 'not yet' },
  );
  const bare = deployment('web', mountingConfigMap('foo', '/etc/config'), envFromConfigMap('foo'));
  // kubectl replace reads and then writes; a write of the Deployment controller in between causes a conflict.
  const stderr = await waitFor('kubectl replace is taken', async () => {
    const tried = await scene.kubectl(['replace', '--filename', '-'], JSON.stringify(bare));
    return tried.code === 0 ? { met: tried.stderr } : { seen: tried.stderr };
  });
  expect(stderr).toContain('It stays managed');
  const web = await scene.get('web');
  expect(namesOf(web)).toEqual([firstVersion, firstVersion]);
  expect(labelOf(web)).toBe(labelFor(firstVersion));
});

test('while the webhook is down, workloads are admitted as they are; once it is back, it works', async () => {
  await scene.stop();
  await scene.apply(managed('alone'));
  expect(namesOf(await scene.get('alone'))).toEqual(['foo', 'foo']);
  scene.start();
  await waitFor('the webhook answers again', async () => {
    const { stdout } = await scene.apply(managed('together'), '--dry-run=server', '--output=json');
    const names = namesOf(JSON.parse(stdout));
    return names.includes('foo') ? { seen: names.join() } : { met: true };
  });
});
