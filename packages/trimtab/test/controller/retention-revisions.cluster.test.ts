import { configMaps, deployments, statefulSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromConfigMap, withImage } from '@trimtab/test-bed/objects/pod-template.ts';
import { type StatefulSet, statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { labels } from '../../src/api/names.ts';
import { keepingRevisions, naming } from './retention-objects.ts';
import { retentionScene } from './retention-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const ownerKinds = ({ metadata }: KubeObject) => (metadata.ownerReferences ?? []).map(({ kind }) => kind);

test('pruned ReplicaSets take their copies along, through the garbage collector and without us', async () => {
  const scene = await retentionScene(engine);
  const foo = await scene.rollout('ConfigMap', 'foo', { historyLimit: 0 });
  const [first, second] = [await scene.version(foo, 1), await scene.version(foo, 2)];
  await scene.status(foo, '1.0.2', '1.0.1');
  await scene.given.objects(deployment('web', envFromConfigMap(first), keepingRevisions(1)));
  await rolledOut(scene.then, 'web');
  {
    await using _ = await scene.reconcilers();
    await scene.when.edited<Deployment>(deployments, 'web', naming(second));
    await scene.status(foo, '1.0.2');
    await scene.then.eventually(
      'the ReplicaSet alone owns its copy',
      configMaps,
      first,
      (it) => ownerKinds(it).join() === 'ReplicaSet',
    );
    await rolledOut(scene.then, 'web');
  }
  const mark = await engine.auditLog().mark();
  await scene.when.edited<Deployment>(deployments, 'web', withImage('busybox:2'));
  await scene.then.eventuallyGone(configMaps, first);
  expect(await scene.versionsLeft(foo)).toEqual(['1.0.2']);
  const deletions = (await engine.auditLog().since(mark)).filter(
    ({ verb, name, namespace }) => verb === 'delete' && name === first && namespace === scene.namespace,
  );
  expect(deletions.map(({ user }) => user)).toEqual([
    'system:serviceaccount:kube-system:generic-garbage-collector',
  ]);
});

test('with every rollout the newest copies stay, as many as there are ReplicaSets', async () => {
  const scene = await retentionScene(engine);
  await using _ = await scene.reconcilers();
  const foo = await scene.rollout('ConfigMap', 'foo', { historyLimit: 2 });
  await scene.given.objects(
    deployment('web', envFromConfigMap(await scene.version(foo, 1)), keepingRevisions(2)),
  );
  await scene.status(foo, '1.0.1');
  for (const sequence of [2, 3, 4, 5]) {
    await rolledOut(scene.then, 'web');
    const copy = await scene.version(foo, sequence, { state: 'being-current' });
    await scene.status(foo, `1.0.${sequence - 1}`, `1.0.${sequence}`);
    await scene.when.edited<Deployment>(deployments, 'web', naming(copy));
    await rolledOut(scene.then, 'web');
    await scene.status(foo, `1.0.${sequence}`);
    await scene.when.edited(configMaps, copy, ({ metadata }) => {
      metadata.labels = { ...metadata.labels, [labels.state]: 'not-current' };
    });
  }
  await waitFor('three copies for three ReplicaSets', async () => {
    const left = await scene.versionsLeft(foo);
    return left.join() === '1.0.3,1.0.4,1.0.5' ? { met: true } : { seen: left.join() };
  });
});

test('pruned ControllerRevisions do the same', async () => {
  const scene = await retentionScene(engine);
  await using _ = await scene.reconcilers();
  const foo = await scene.rollout('ConfigMap', 'foo', { historyLimit: 0 });
  const first = await scene.version(foo, 1);
  await scene.given.objects(statefulSet('db', envFromConfigMap(first), keepingRevisions(1)));
  for (const sequence of [2, 3]) {
    // An activation marks a version before any workload references it. Without the mark, the version would be beyond
    // the history limit immediately.
    const copy = await scene.version(foo, sequence, { state: 'being-current' });
    await scene.status(foo, `1.0.${sequence}`);
    await scene.when.edited<StatefulSet>(statefulSets, 'db', naming(copy));
    await scene.then.eventually<StatefulSet>(
      `db runs 1.0.${sequence}`,
      statefulSets,
      'db',
      ({ status, metadata }) =>
        status?.updatedReplicas === 1 &&
        status.readyReplicas === 1 &&
        (status as { observedGeneration?: number }).observedGeneration === metadata.generation,
    );
  }
  await scene.then.eventuallyGone(configMaps, first);
  expect(await scene.versionsLeft(foo)).toEqual(['1.0.2', '1.0.3']);
});

test('a copy that was left to its ReplicaSet is the rollout’s again when it becomes the target', async () => {
  const scene = await retentionScene(engine);
  await using _ = await scene.reconcilers();
  const foo = await scene.rollout('ConfigMap', 'foo', { historyLimit: 0 });
  const [first, second] = [await scene.version(foo, 1), await scene.version(foo, 2)];
  await scene.status(foo, '1.0.2', '1.0.1');
  await scene.given.objects(deployment('web', envFromConfigMap(first)));
  await rolledOut(scene.then, 'web');
  await scene.when.edited<Deployment>(deployments, 'web', naming(second));
  await scene.status(foo, '1.0.2');
  await scene.then.eventually(
    'it is left',
    configMaps,
    first,
    (it) => ownerKinds(it).join() === 'ReplicaSet',
  );

  await scene.status(foo, '1.0.2', '1.0.1');
  await scene.then.eventually('it is owned again', configMaps, first, (it) =>
    ownerKinds(it).includes('ConfigRollout'),
  );
});

async function rolledOut(then: Awaited<ReturnType<typeof retentionScene>>['then'], name: string) {
  await then.eventually<Deployment>(
    `${name} is rolled out`,
    deployments,
    name,
    ({ metadata, status }) =>
      status?.observedGeneration === metadata.generation &&
      status?.updatedReplicas === 1 &&
      status.availableReplicas === 1 &&
      status.replicas === 1,
  );
}
