import {
  configMaps,
  controllerRevisions,
  daemonSets,
  deployments,
  pods,
  replicaSets,
  secrets,
  statefulSets,
} from '@trimtab/kube/resource.ts';
import type { KubeObject, OwnerReference } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromConfigMap,
  envFromSecret,
  mountingConfigMap,
  withImage,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { afterAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { labels } from '../../src/api/names.ts';
import { barePod, loneReplicaSet } from './retention-objects.ts';
import { retentionScene } from './retention-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const ownersOf = ({ metadata }: KubeObject) => metadata.ownerReferences ?? [];
const revisionsOwning = (it: KubeObject) =>
  ownersOf(it).filter(({ kind }) => kind === 'ControllerRevision').length;
const isInUse = ({ metadata }: KubeObject) => metadata.labels?.[labels.inUse] === 'true';
const owner = (kind: string, { metadata }: KubeObject, apiVersion = 'apps/v1'): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
});

test('a new ReplicaSet owns its copy, and neither controls it nor is blocked by it', async () => {
  const scene = await retentionScene(engine);
  await using _ = await scene.reconcilers();
  const rollout = await scene.rollout('ConfigMap', 'foo');
  const copy = await scene.version(rollout, 1);
  await scene.given.objects(deployment('web', mountingConfigMap(copy, '/etc/foo')));

  const owned = await scene.then.eventually(
    'a ReplicaSet owns the copy, which is in use',
    configMaps,
    copy,
    (it) => ownersOf(it).some(({ kind }) => kind === 'ReplicaSet') && isInUse(it),
  );
  const { items } = await scene.client.list(replicaSets, { namespace: scene.namespace });
  expect(items.length).toBe(1);
  expect(ownersOf(owned)).toEqual([
    owner('ConfigRollout', rollout, 'trimtab.dev/v1alpha1'),
    ...items.map((each) => owner('ReplicaSet', each)),
  ]);
});

test('ReplicaSets share a copy when only the image changed', async () => {
  const scene = await retentionScene(engine);
  await using _ = await scene.reconcilers();
  const copy = await scene.version(await scene.rollout('ConfigMap', 'foo'), 1);
  await scene.given.objects(deployment('web', mountingConfigMap(copy, '/etc/foo')));
  await scene.then.eventually('the first owns it', configMaps, copy, (it) =>
    ownersOf(it).some(({ kind }) => kind === 'ReplicaSet'),
  );
  await scene.when.edited<Deployment>(deployments, 'web', withImage('busybox:2'));

  const shared = await scene.then.eventually(
    'both own it',
    configMaps,
    copy,
    (it) => ownersOf(it).filter(({ kind }) => kind === 'ReplicaSet').length === 2,
  );
  const { items } = await scene.client.list(replicaSets, { namespace: scene.namespace });
  const uids = items.map(({ metadata }) => metadata.uid);
  expect(
    ownersOf(shared)
      .slice(1)
      .map(({ uid }) => uid)
      .sort(),
  ).toEqual(uids.sort());
});

test('ControllerRevisions of StatefulSets and DaemonSets own, and Secrets are owned like ConfigMaps', async () => {
  const scene = await retentionScene(engine);
  await using _ = await scene.reconcilers();
  const copy = await scene.version(await scene.rollout('ConfigMap', 'foo'), 1);
  const key = await scene.version(await scene.rollout('Secret', 'key'), 1);
  await scene.given.objects(
    statefulSet('db', envFromConfigMap(copy), envFromSecret(key)),
    daemonSet('logs', mountingConfigMap(copy, '/etc/foo')),
  );
  const [ofCopy, ofKey] = await Promise.all([
    scene.then.eventually('both own the copy', configMaps, copy, (it) => revisionsOwning(it) === 2),
    scene.then.eventually('the revision owns the key', secrets, key, (it) => revisionsOwning(it) === 1),
  ]);
  const { items } = await scene.client.list(controllerRevisions, { namespace: scene.namespace });
  const known = items.map((each) => owner('ControllerRevision', each));
  expect(ownersOf(ofCopy).slice(1)).toEqual(expect.arrayContaining(known));
  expect(known).toEqual(expect.arrayContaining(ownersOf(ofKey).slice(1)));
  expect([isInUse(ofCopy), isInUse(ofKey)]).toEqual([true, true]);
  for (const [resource, name] of [
    [statefulSets, 'db'],
    [daemonSets, 'logs'],
  ] as const)
    await scene.when.deleted(resource, name);
  await scene.then.eventually(
    'only the rollout owns the copy, and nobody uses it',
    configMaps,
    copy,
    (it) => ownersOf(it).length === 1 && !isInUse(it),
  );
});

test('lone ReplicaSets and bare pods own nothing, but what they name is in use until they are gone', async () => {
  const scene = await retentionScene(engine);
  await using _ = await scene.reconcilers();
  const rollout = await scene.rollout('ConfigMap', 'foo');
  const [first, second] = [await scene.version(rollout, 1), await scene.version(rollout, 2)];
  await scene.given.objects(loneReplicaSet('lone', first), barePod('bare', second));
  await scene.then.eventually('the first is in use', configMaps, first, isInUse);
  await scene.then.eventually('the second is in use', configMaps, second, isInUse);

  await scene.when.deleted(replicaSets, 'lone');
  await scene.when.deleted(pods, 'bare');
  for (const name of [first, second]) {
    const free = await scene.then.eventually('it is not in use', configMaps, name, (it) => !isInUse(it));
    expect(ownersOf(free)).toEqual([owner('ConfigRollout', rollout, 'trimtab.dev/v1alpha1')]);
  }
});

/** The garbage collector discovers a new kind within 30 seconds. */
const patientMs = 90_000;

test('with the rollout go its versions, except those that revisions own: these go with the last of them', {
  timeout: 3 * patientMs,
}, async () => {
  const scene = await retentionScene(engine);
  const then = scene.then.within(patientMs);
  await using _ = await scene.reconcilers();
  const rollout = await scene.rollout('ConfigMap', 'foo');
  const [free, used] = [await scene.version(rollout, 1), await scene.version(rollout, 2)];
  await scene.given.objects(deployment('web', withReplicas(1), envFromConfigMap(used)));
  await scene.then.eventually('the ReplicaSet owns it', configMaps, used, (it) => ownersOf(it).length === 2);

  await scene.when.deleted(configRollouts, rollout.metadata.name ?? '');
  await then.eventuallyGone(configMaps, free);
  await then.eventually('the ReplicaSet alone owns it', configMaps, used, (it) => ownersOf(it).length === 1);
  await scene.when.deleted(deployments, 'web');
  await then.eventuallyGone(configMaps, used);
});

test('a rollout that is deleted without its versions leaves them to stay', {
  timeout: 3 * patientMs,
}, async () => {
  const scene = await retentionScene(engine);
  const then = scene.then.within(patientMs);
  await using _ = await scene.reconcilers();
  const rollout = await scene.rollout('ConfigMap', 'foo', { historyLimit: 0 });
  const copy = await scene.version(rollout, 1);
  const where = { namespace: scene.namespace, name: rollout.metadata.name ?? '' };
  await scene.client.delete(configRollouts, where, { propagationPolicy: 'Orphan' });
  await then.eventuallyGone(configRollouts, where.name);
  await then.eventually('nobody owns it', configMaps, copy, (it) => ownersOf(it).length === 0);

  await scene.given.objects(deployment('web', envFromConfigMap(copy)));
  const used = await then.eventually('it is in use', configMaps, copy, isInUse);
  expect(ownersOf(used)).toEqual([]);
});
