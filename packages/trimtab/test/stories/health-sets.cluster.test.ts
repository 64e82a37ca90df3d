import { configMaps, daemonSets, pods, statefulSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { openNodes } from '@trimtab/test-bed/engines/open-nodes.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type DaemonSet, daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, type PodTemplate } from '@trimtab/test-bed/objects/pod-template.ts';
import { type StatefulSet, statefulSet, updatedBy } from '@trimtab/test-bed/objects/stateful-set.ts';
import { afterAll, expect, test } from 'vitest';
import { managed } from '../support/managed.ts';
import { mountedByPod } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isParked } from '../support/outcomes.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

interface Pod extends KubeObject {
  spec: PodTemplate['spec'];
}

const app = () => [mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp] as const;
const edit = (release: ReleaseStory, data: Record<string, string>) =>
  release.when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
    foo.data = data;
  });
const isRolledBack = (release: ReleaseStory) =>
  release.rolloutIs(
    'the version is rolled back',
    ({ phase, target }) => phase === 'Failed' && target === undefined,
  );
/** Returns the name of the mounted version object for each pod. */
async function mountedByPods({
  client,
  namespace,
}: ReleaseStory): Promise<Record<string, string | undefined>> {
  const { items } = await client.list<Pod>(pods, { namespace });
  return Object.fromEntries(items.map((pod) => [pod.metadata.name, mountedByPod(pod)]));
}

test('a StatefulSet that is stuck on its broken pod gets its old version back, and so do its pods', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { progressDeadlineSeconds: 2 });
  await release.given.objects(configMap('foo'), statefulSet('db', withReplicas(2), ...app()));
  const { status: before } = await settled(release, '1.0.0', ['db']);
  const old = before?.current?.object;

  await edit(release, { pods: 'unready' });
  const failed = await isRolledBack(release);
  expect(conditionOf(failed, 'Degraded')?.message).toContain('StatefulSet db: pod db-1');
  await release.eventually<StatefulSet>(
    'all pods are well again',
    statefulSets,
    'db',
    (db) => mountedConfigMap(db) === old && db.status?.readyReplicas === 2,
  );
  expect(await mountedByPods(release)).toEqual({ 'db-0': old, 'db-1': old });
});

test('a StatefulSet that is stuck on its broken pod takes a mended config', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo'), statefulSet('db', withReplicas(2), ...app()));
  await settled(release, '1.0.0', ['db']);

  await edit(release, { pods: 'unready' });
  await release.rolloutIs('its last pod has 1.0.1', (status) => lineOf(status, 'db')?.updated === 1);
  await edit(release, { color: 'green' });
  const { status } = await settled(release, '1.0.2', ['db']);
  const now = status?.current?.object;
  expect(await mountedByPods(release)).toEqual({ 'db-0': now, 'db-1': now });
});

test('pods below the partition of a StatefulSet keep their version, and the new one is current', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  const partitioned = updatedBy({ type: 'RollingUpdate', rollingUpdate: { partition: 1 } });
  await release.given.objects(configMap('foo'), statefulSet('db', withReplicas(2), ...app(), partitioned));
  await settled(release, '1.0.0', ['db']);

  await edit(release, { color: 'green' });
  const { status } = await settled(release, '1.0.1', ['db']);
  expect(lineOf(status, 'db')).toMatchObject({ updated: 1, total: 1 });
  const mounted = await mountedByPods(release);
  expect(mounted['db-1']).toBe(status?.current?.object);
  expect(mounted['db-0']).not.toBe(status?.current?.object);
});

test('OnDelete waits for a person for as long as it takes, and never fails', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { progressDeadlineSeconds: 1 });
  await release.shortBake(['other']);
  await release.given.objects(
    configMap('foo'),
    statefulSet('db', ...app(), updatedBy({ type: 'OnDelete' })),
    configMap('other'),
    daemonSet('witness', mountingConfigMap('other', '/etc/other'), managed),
  );
  await release.eventually<StatefulSet>(
    'its pods shall mount a copy',
    statefulSets,
    'db',
    (db) => mountedConfigMap(db) !== 'foo' && db.status?.replicas === 1,
  );
  await release.when.deleted(pods, 'db-0');
  await settled(release, '1.0.0', ['db']);
  await settled(release, '1.0.0', ['witness'], 'configmap-other');

  await edit(release, { color: 'green' });
  const waiting = await release.rolloutIs(
    'it waits',
    (status) => lineOf(status, 'db')?.state === 'WaitingForDelete',
  );
  expect(lineOf(waiting.status, 'db')?.message).toContain('delete its pods');
  // A complete release of another config, including its bake, takes longer than the progress deadline of this one.
  await release.when.edited<ConfigMap>(configMaps, 'other', (other) => {
    other.data = { color: 'green' };
  });
  await settled(release, '1.0.1', ['witness'], 'configmap-other');
  const { status } = await isParked(release, '1.0.1', 'WaitingForDelete');
  expect(lineOf(status, 'db')?.state).toBe('WaitingForDelete');

  await release.hasTime();
  await release.when.deleted(pods, 'db-0');
  await settled(release, '1.0.1', ['db']);
});

test('a DaemonSet is released and rolled back like the others', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  const items = await openNodes(release.client);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), daemonSet('agent', ...app()));
  await settled(release, '1.0.0', ['agent']);
  await edit(release, { color: 'green' });
  const { status: before } = await settled(release, '1.0.1', ['agent']);
  expect(lineOf(before, 'agent')).toMatchObject({ updated: items.length, total: items.length });

  await edit(release, { color: 'red', pods: 'crash-loop' });
  await isRolledBack(release);
  await release.eventually<DaemonSet>(
    'all its pods are well again',
    daemonSets,
    'agent',
    (agent) =>
      mountedConfigMap(agent) === before?.current?.object && agent.status?.numberReady === items.length,
  );
});
