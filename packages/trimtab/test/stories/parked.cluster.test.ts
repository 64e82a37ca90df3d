import { configMaps, daemonSets, pods, statefulSets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { openNodes } from '@trimtab/test-bed/engines/open-nodes.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type DaemonSet, daemonSet } from '@trimtab/test-bed/objects/daemon-set.ts';
import { deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import {
  mountingConfigMap,
  onNodesOfTheirOwn,
  type Templated,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { type StatefulSet, statefulSet, updatedBy } from '@trimtab/test-bed/objects/stateful-set.ts';
import { afterAll, expect, test } from 'vitest';
import { labels } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { mountedBy, mountedByPod, type Pod, podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isParked, isRolledBack } from '../support/outcomes.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const app = () => [mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp] as const;
const edit = (release: ReleaseStory, data: Record<string, string>, config = 'foo') =>
  release.when.edited(configMaps, config, withData(data));
const partition = (release: ReleaseStory, count: number) =>
  release.when.kubectl(
    'patch',
    'statefulset/db',
    '--type=merge',
    `--patch={"spec":{"updateStrategy":{"rollingUpdate":{"partition":${count}}}}}`,
  );

/** Waits until the version is parked, and verifies that it is neither current nor rejected. */
async function parksFor(release: ReleaseStory, reason: string, workload: string, state = reason) {
  const parked = await isParked(release, '1.0.1', reason);
  expect(parked.status?.current?.version).toBe('1.0.0');
  expect(lineOf(parked.status, workload)?.state).toBe(state);
  const { metadata } = (await release.copies()).get('1.0.1') ?? {};
  expect(['current', 'rejected']).not.toContain(metadata?.labels?.[labels.state]);
  return parked;
}

test('scaled to zero in the middle, a version parks, and is judged when there are pods again', async () => {
  await using release = await ReleaseStory.start(engine);
  await using simulated = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), deployment('web', ...app()));
  const { status: before } = await settled(release, '1.0.0', ['web']);
  await edit(release, { pods: 'starts' });
  await release.rolloutIs(
    '1.0.1 is on its way',
    (status) => status.target !== undefined && lineOf(status, 'web')?.updated === 1,
  );

  await release.when.kubectl('scale', 'deployment/web', '--replicas=0');
  await release.rolloutIs('its pods are gone', (status) => lineOf(status, 'web')?.state === 'ScaledToZero');
  await release.strategyIs({ progressDeadlineSeconds: 1 });
  await parksFor(release, 'ScaledToZero', 'web');

  await release.hasTime();
  await simulated.becomes(({ pods: word }) => (word === 'starts' ? 'crash-loop' : 'works'));
  await release.when.kubectl('scale', 'deployment/web', '--replicas=1');
  const failed = await isRolledBack(release, '1.0.1');
  expect(failed.status?.current).toEqual(before?.current);
  await podsRun(release, 'web', before?.current?.object);
});

test('0 replicas from the beginning to the end: the version is current, and says that no pod has judged it', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo']);
  await release.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, withReplicas(0)),
  );
  await release.isCurrent('1.0.0');
  await edit(release, { color: 'green' });
  const { status } = await release.rolloutIs(
    '1.0.1 is current without a pod',
    ({ phase, current, conditions }) =>
      phase === 'Current' &&
      current?.version === '1.0.1' &&
      conditions?.some(
        (each) => each.type === 'Ready' && each.status === 'True' && each.reason === 'NoPods',
      ) === true,
  );
  expect(lineOf(status, 'web')?.state).toBe('NoPods');
  expect(await mountedBy(release, 'web')).toBe(status?.current?.object);
});

test('a DaemonSet that no node runs wants no pods: the version is current, and says so', async () => {
  await using release = await ReleaseStory.start(engine);
  await release.shortBake(['foo']);
  const nowhere = ({ spec }: Templated) => {
    const matchExpressions = [{ key: 'test.trimtab.dev/nowhere', operator: 'Exists' }];
    const required = { nodeSelectorTerms: [{ matchExpressions }] };
    spec.template.spec.affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required },
    };
  };
  await release.given.objects(
    configMap('foo', { color: 'blue' }),
    daemonSet('agent', mountingConfigMap('foo', '/etc/foo'), managed, nowhere),
  );
  await release.isCurrent('1.0.0');
  await release.eventually<DaemonSet>(
    'agent has its copy',
    daemonSets,
    'agent',
    (agent) => mountedConfigMap(agent) !== 'foo',
  );
  await edit(release, { color: 'green' });
  const { status } = await release.rolloutIs(
    '1.0.1 is current without a pod',
    (now) => now.current?.version === '1.0.1' && conditionOf({ status: now }, 'Ready')?.reason === 'NoPods',
  );
  expect(lineOf(status, 'agent')?.state).toBe('NoPods');
  expect(await mountedBy(release, 'agent', daemonSets)).toBe(status?.current?.object);
});

test('with OnDelete, a version parks until a person deletes the pods', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { progressDeadlineSeconds: 1 });
  await release.given.objects(
    configMap('foo', { color: 'blue' }),
    statefulSet('db', ...app(), updatedBy({ type: 'OnDelete' })),
  );
  await podIsReplaced(release);
  const { status: before } = await settled(release, '1.0.0', ['db']);

  await edit(release, { color: 'green' });
  await parksFor(release, 'WaitingForDelete', 'db');
  await podsRun(release, 'db', before?.current?.object);

  await release.hasTime();
  await release.when.kubectl('delete', 'pod/db-0');
  const { status } = await settled(release, '1.0.1', ['db']);
  await podsRun(release, 'db', status?.current?.object);
});

test('with a paused Deployment, a version parks until it is resumed, and a bad one is rolled back then', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { progressDeadlineSeconds: 1 });
  await release.given.objects(configMap('foo', { color: 'blue' }), deployment('web', ...app()));
  const { status: before } = await settled(release, '1.0.0', ['web']);

  await release.when.kubectl('rollout', 'pause', 'deployment/web');
  await edit(release, { pods: 'crash-loop' });
  await parksFor(release, 'WaitingForResume', 'web');
  await podsRun(release, 'web', before?.current?.object);

  await release.hasTime();
  await release.when.kubectl('rollout', 'resume', 'deployment/web');
  const failed = await isRolledBack(release, '1.0.1');
  expect(failed.status?.current).toEqual(before?.current);
  await podsRun(release, 'web', before?.current?.object);
});

test('with a partition that holds all pods back, a version parks until the partition is lowered', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { progressDeadlineSeconds: 1 });
  await release.given.objects(
    configMap('foo', { color: 'blue' }),
    statefulSet('db', ...app(), withReplicas(2)),
  );
  await release.hasTime();
  const { status: before } = await settled(release, '1.0.0', ['db']);
  await release.strategyIs({ progressDeadlineSeconds: 1 });

  await partition(release, 2);
  await edit(release, { color: 'green' });
  await parksFor(release, 'WaitingForPartition', 'db');
  await podsRun(release, 'db', before?.current?.object, 2);

  await release.hasTime();
  await partition(release, 0);
  const { status } = await settled(release, '1.0.1', ['db']);
  await podsRun(release, 'db', status?.current?.object, 2);
});

test('when no node takes a new pod, a version parks until there is room', async () => {
  await using release = await ReleaseStory.start(engine);
  const nodeCount = (await openNodes(release.client)).length;
  await release.shortBake(['foo'], { progressDeadlineSeconds: 2 });
  await release.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment(
      'web',
      mountingConfigMap('foo', '/etc/foo'),
      managed,
      withReplicas(nodeCount - 1),
      onNodesOfTheirOwn,
      ({ spec }) => {
        spec.strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
      },
    ),
  );
  await settled(release, '1.0.0', ['web']);
  await release.when.kubectl('scale', 'deployment/web', `--replicas=${nodeCount}`);
  const { status: before } = await release.rolloutIs(
    'every node has a pod',
    (status) => lineOf(status, 'web')?.total === nodeCount && lineOf(status, 'web')?.state === 'Healthy',
  );

  await edit(release, { color: 'green' });
  await parksFor(release, 'Unschedulable', 'web', 'Inconclusive');
  await release.eventuallyAll<Pod>(
    'the old pods go on',
    pods,
    (all) => all.filter((pod) => mountedByPod(pod) === before?.current?.object).length === nodeCount,
    'app=web',
  );

  await release.hasTime();
  await release.when.kubectl('scale', 'deployment/web', `--replicas=${nodeCount - 1}`);
  const { status } = await settled(release, '1.0.1', ['web']);
  await podsRun(release, 'web', status?.current?.object, nodeCount - 1);
});

test('a parked version holds no workload: a neighbour moves on, and takes it along', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo', 'bar'], { progressDeadlineSeconds: 1 });
  const mountsBar = mountingConfigMap('bar', '/etc/bar');
  await release.given.objects(
    configMap('foo', { color: 'blue' }),
    configMap('bar', { size: 'M' }),
    statefulSet('db', ...app(), mountsBar, updatedBy({ type: 'OnDelete' })),
    deployment('api', mountsBar, managed, runningTheApp),
  );
  await podIsReplaced(release);
  await settled(release, '1.0.0', ['db']);
  await settled(release, '1.0.0', ['db', 'api'], 'configmap-bar');
  await edit(release, { color: 'green' });
  await parksFor(release, 'WaitingForDelete', 'db');

  await edit(release, { size: 'L' }, 'bar');
  await release.rolloutIs(
    'api is healthy on the new version of bar',
    (status) =>
      status.target?.version === '1.0.1' &&
      lineOf(status, 'api')?.state === 'Healthy' &&
      lineOf(status, 'api')?.updated === 1,
    'configmap-bar',
  );
  expect(await mountedBy(release, 'api')).toBe((await release.copies('bar')).get('1.0.1')?.metadata.name);
  const [foo, bar] = [await release.rollout(), await release.rollout('configmap-bar')];
  expect(foo.status?.target).toMatchObject({
    version: '1.0.1',
    activation: bar.status?.target?.activation,
  });

  for (const rollout of ['configmap-foo', 'configmap-bar'])
    await release.strategyIs({ progressDeadlineSeconds: 600 }, rollout);
  await release.when.kubectl('delete', 'pod/db-0');
  await Promise.all([
    settled(release, '1.0.1', ['db']),
    settled(release, '1.0.1', ['db', 'api'], 'configmap-bar'),
  ]);
});

/** With OnDelete, the first version reaches the pod when a person deletes it. */
async function podIsReplaced(release: ReleaseStory): Promise<void> {
  await release.eventually<StatefulSet & Templated>(
    'its pods shall mount a copy',
    statefulSets,
    'db',
    (db) => mountedConfigMap(db) !== 'foo' && db.status?.replicas === 1,
  );
  await release.when.deleted(pods, 'db-0');
}
