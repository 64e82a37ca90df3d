import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps, deployments, pods, replicaSets, statefulSets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated, labelled } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { bound } from '@trimtab/test-bed/watching/watched.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { barePod, loneReplicaSet, paused } from './retention-objects.ts';
import { retentionScene } from './retention-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

describe('the history limit', () => {
  test.each([
    ['ConfigMap', undefined, 10],
    ['Secret', undefined, 3],
    ['ConfigMap', 2, 2],
    ['Secret', 0, 0],
  ] as const)(
    'of a %s (spec: %s) keeps %i versions beside the current one',
    async (kind, historyLimit, kept) => {
      const scene = await retentionScene(engine);
      await using _ = await scene.reconcilers();
      const foo = await scene.rollout(kind, 'foo', historyLimit === undefined ? {} : { historyLimit });
      const newest = kept + 4;
      for (let sequence = 1; sequence <= newest; sequence++) await scene.version(foo, sequence);
      await scene.status(foo, `1.0.${newest}`);
      const expected = Array.from({ length: kept + 1 }, (_, index) => `1.0.${newest - kept + index}`);
      await waitFor('the newest are left', async () => {
        const left = await scene.versionsLeft(foo);
        return left.length <= expected.length ? { met: left } : { seen: left.join(' ') };
      });
      expect(await scene.versionsLeft(foo)).toEqual(expected);
    },
  );

  test('deletes nothing while nobody knows what is current', async () => {
    const scene = await retentionScene(engine);
    await using running = await scene.reconcilers();
    const foo = await scene.rollout('ConfigMap', 'foo', { historyLimit: 0 });
    for (const sequence of [1, 2, 3]) await scene.version(foo, sequence);
    const bar = await scene.rollout('ConfigMap', 'bar', { historyLimit: 0 });
    const sentinel = await scene.version(bar, 1);
    await scene.version(bar, 2, { state: 'current' });
    await scene.status(bar, '1.0.2');
    await scene.then.eventuallyGone(configMaps, sentinel);
    expect(await scene.versionsLeft(foo)).toEqual(['1.0.1', '1.0.2', '1.0.3']);
    expect(running.metrics()).toContain('trimtab_versions{kind="ConfigMap",state="current"} 1');
    expect(running.metrics()).toContain('trimtab_versions{kind="ConfigMap",state="not-current"} 3');
  });
});

test('what is current, target, asked for, live, made by hand or named by anything is never deleted', async () => {
  const scene = await retentionScene(engine);
  const foo = await scene.rollout('ConfigMap', 'foo', { historyLimit: 0, version: '1.0.5' });
  const make = (sequence: number, options = {}) => scene.version(foo, sequence, options);
  await make(1, { state: 'current' });
  await make(2, { madeByHand: true });
  await make(3); // current in the status
  await make(4); // target in the status
  await make(5); // spec.version
  await make(6, { madeByHand: true });
  const [ofPod, ofLone, ofReplicaSet, ofRevision] = [
    await make(7),
    await make(8),
    await make(9),
    await make(10),
  ];
  const [ofTemplate, wayBack] = [await make(11), await make(12)];
  await make(13, { content: 'live' });
  const sentinel = await make(14);
  await scene.given.objects(
    configMap('foo', { key: 'live' }, labelled({ [labels.config]: 'foo' })),
    barePod('bare', ofPod),
    loneReplicaSet('lone', ofLone),
    deployment('web', envFromConfigMap(ofReplicaSet), withReplicas(0)),
    statefulSet('db', envFromConfigMap(ofRevision), withReplicas(0)),
    // Created paused, so it has no ReplicaSet.
    deployment(
      'waiting',
      envFromConfigMap(ofTemplate),
      paused,
      annotated({ [annotations.assignment]: recordOf(wayBack) }),
    ),
  );
  await scene.status(foo, '1.0.3', '1.0.4');
  await using _ = await scene.reconcilers();

  await scene.then.eventuallyGone(configMaps, sentinel);
  const all = Array.from({ length: 13 }, (_, index) => `1.0.${index + 1}`);
  expect(await scene.versionsLeft(foo)).toEqual(all);

  await scene.when.deleted(pods, 'bare');
  await scene.when.deleted(replicaSets, 'lone');
  await scene.when.deleted(statefulSets, 'db');
  await scene.when.deleted(deployments, 'web');
  await scene.when.deleted(deployments, 'waiting');
  await scene.status(foo, '1.0.3');
  for (const name of [ofPod, ofLone, ofReplicaSet, ofRevision, ofTemplate, wayBack])
    await scene.then.eventuallyGone(configMaps, name);
  await waitFor('the old target is gone', async () => {
    const left = await scene.versionsLeft(foo);
    return left.includes('1.0.4') ? { seen: left.join(' ') } : { met: true };
  });
  expect(await scene.versionsLeft(foo)).toEqual([1, 2, 3, 5, 6, 13].map((each) => `1.0.${each}`));
});

test('a version that a workload returns to if the activation of another config fails is kept until its end', async () => {
  const scene = await retentionScene(engine);
  const foo = await scene.rollout('ConfigMap', 'foo', { historyLimit: 0 });
  const bar = await scene.rollout('ConfigMap', 'bar');
  for (const each of [foo, bar]) await scene.manages(each, 'Deployment/web');
  const wayBack = await scene.version(foo, 1);
  const sentinel = await scene.version(foo, 2);
  const current = await scene.version(foo, 3, { state: 'current' });
  await scene.version(bar, 1, { state: 'current' });
  await scene.given.object(
    deployment(
      'web',
      envFromConfigMap(current),
      paused,
      annotated({ [annotations.assignment]: recordOf(wayBack) }),
    ),
  );
  await scene.status(bar, '1.0.1', '1.0.2');
  await scene.status(foo, '1.0.3');
  await using _ = await scene.reconcilers();

  await scene.then.eventuallyGone(configMaps, sentinel);
  expect(await scene.versionsLeft(foo)).toEqual(['1.0.1', '1.0.3']);
  await scene.status(bar, '1.0.2');
  await scene.then.eventuallyGone(configMaps, wayBack);
});

describe('what happens in the last moment', () => {
  /** Returns a client that calls `meddle` just before each deletion. */
  const meddling = (real: KubeClient, meddle: (name: string) => Promise<unknown>): KubeClient => ({
    ...bound(real),
    delete: async (resource, where, options) => {
      await meddle(where.name);
      return real.delete(resource, where, options);
    },
  });

  test('a version that is just being made current survives, and the others go', async () => {
    const scene = await retentionScene(engine);
    const foo = await scene.rollout('ConfigMap', 'foo', { historyLimit: 0 });
    const [lucky, other] = [await scene.version(foo, 1), await scene.version(foo, 2)];
    await scene.version(foo, 3);
    await scene.status(foo, '1.0.3');
    const marked: string[] = [];
    // A mark that no reconciler of this scene takes back.
    const body = { metadata: { labels: { [labels.state]: 'current' } } };
    const client = meddling(scene.client, async (name) => {
      if (name !== lucky || marked.length > 0) return;
      marked.push(name);
      const where = { namespace: scene.namespace, name };
      await scene.client.patch(configMaps, where, { type: 'merge', body });
    });
    await using _ = await scene.reconcilers(client);
    await scene.then.eventuallyGone(configMaps, other);
    expect(marked).toEqual([lucky]);
    expect(await scene.versionsLeft(foo)).toEqual(['1.0.1', '1.0.3']);
  });

  test('a version that the cache does not know to be asked for survives', async () => {
    const scene = await retentionScene(engine);
    const foo = await scene.rollout('ConfigMap', 'foo', { historyLimit: 0 });
    const sentinel = await scene.version(foo, 1);
    await scene.version(foo, 2);
    await scene.version(foo, 3);
    await scene.status(foo, '1.0.3');
    const where = { namespace: scene.namespace, name: foo.metadata.name ?? '' };
    let asked = false;
    const client: KubeClient = {
      ...bound(scene.client),
      get: async (resource, key, options) => {
        if (resource === configRollouts && !asked) {
          asked = true;
          const patch = { type: 'merge', body: { spec: { version: '1.0.2' } } } as const;
          await scene.client.patch(configRollouts, where, patch);
        }
        return scene.client.get(resource, key, options);
      },
    };
    await using _ = await scene.reconcilers(client);
    await scene.then.eventuallyGone(configMaps, sentinel);
    expect(asked).toBe(true);
    expect(await scene.versionsLeft(foo)).toEqual(['1.0.2', '1.0.3']);
  });
});

function recordOf(object: string): string {
  return JSON.stringify({ activation: 'a-1', previous: { 'ConfigMap/foo': object } });
}
