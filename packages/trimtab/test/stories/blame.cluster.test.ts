import { configMaps, deployments, pods, resourceQuotas } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { openNodes } from '@trimtab/test-bed/engines/open-nodes.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromKey,
  mountingConfigMap,
  onNodesOfTheirOwn,
  withImage,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { type ResourceQuota, resourceQuota } from '@trimtab/test-bed/objects/resource-quota.ts';
import { afterAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { mountedBy } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isParked } from '../support/outcomes.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountsFoo = mountingConfigMap('foo', '/etc/foo');
const edit = (release: ReleaseStory, data: Record<string, string>) =>
  release.when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
    foo.data = data;
  });

/** Waits until nobody can judge the version, and verifies that it was neither rejected nor taken back. */
async function parksFor(release: ReleaseStory, reason: string): Promise<ConfigRollout> {
  const parked = await isParked(release, '1.0.1', reason);
  await expectUndecided(release, parked);
  return parked;
}

async function expectUndecided(release: ReleaseStory, { status }: ConfigRollout): Promise<void> {
  expect(status?.target?.version).toBe('1.0.1');
  expect(lineOf(status, 'web')?.state).toBe('Inconclusive');
  const copy = (await release.copies()).get('1.0.1');
  expect(['current', 'rejected']).not.toContain(copy?.metadata.labels?.[labels.state]);
  expect(copy?.metadata.annotations?.[annotations.rejected]).toBeUndefined();
  expect(await mountedBy(release, 'web')).toBe(copy?.metadata.name);
}

test('a workload that was broken before is no reason to roll back', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(
    configMap('foo', { broken: 'crash-loop' }),
    deployment('web', mountsFoo, managed, runningTheApp),
    deployment('broken', mountsFoo, managed, runningTheApp),
  );
  await settled(release, '1.0.0', ['web']);
  await release.eventuallyAll<Pod>(
    'the broken one has crashed more than once',
    pods,
    (all) => all.some(({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 1),
    'app=broken',
  );

  await edit(release, { broken: 'crash-loop', color: 'green' });
  const { status } = await release.isCurrent('1.0.1');
  expect(lineOf(status, 'web')?.state).toBe('Healthy');
  expect(await mountedBy(release, 'broken')).toBe(status?.current?.object);
});

test('a workload that was well until just before a bad edit is protected from it', async () => {
  await using release = await ReleaseStory.start(engine);
  await using app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, managed, runningTheApp),
  );
  const { status: before } = await settled(release, '1.0.0', ['web']);
  await app.becomes(() => 'unready');
  await release.eventually<Deployment>(
    'it has lost its pod',
    deployments,
    'web',
    ({ status }) => status?.availableReplicas === undefined,
  );

  await edit(release, { color: 'green', web: 'config-error' });
  await release.rolloutIs('1.0.1 is on its way', ({ target }) => target?.version === '1.0.1');
  await app.becomes(obedientApp);
  const failed = await release.rolloutIs('it is rolled back', ({ phase }) => phase === 'Failed');
  expect(failed.status?.current?.object).toBe(before?.current?.object);
  expect(failed.status?.history?.[0]).toMatchObject({ version: '1.0.1', result: 'RolledBack' });
});

interface Pod extends KubeObject {
  status?: { containerStatuses?: { restartCount?: number }[] };
}

test('a pod that no node takes is not the content’s fault, and the rollout goes on when there is room', async () => {
  await using release = await ReleaseStory.start(engine);
  const { client, given, when } = release;
  const items = await openNodes(client);
  await release.shortBake(['foo'], { progressDeadlineSeconds: 2 });
  await given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, managed, withReplicas(items.length - 1), onNodesOfTheirOwn),
  );
  await settled(release, '1.0.0', ['web']);
  await when.scaled(deployments, 'web', items.length);
  await settled(release, '1.0.0', ['web']);

  await edit(release, { color: 'green' });
  const parked = await parksFor(release, 'Unschedulable');
  expect(conditionOf(parked, 'Ready')?.message).toMatch(/Deployment web: pod web-.*anti-affinity/);
  await release.eventuallyEvent(
    'an event says so',
    'ConfigRollout',
    'configmap-foo',
    ({ type, reason }) => [type, reason].join() === 'Warning,Unschedulable',
  );

  await release.hasTime();
  await when.scaled(deployments, 'web', items.length - 1);
  await settled(release, '1.0.1', ['web']);
});

test('an image that cannot be pulled is not the content’s fault', async () => {
  await using release = await ReleaseStory.start(engine);
  await using app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { progressDeadlineSeconds: 2 });
  await release.given.objects(configMap('foo'), deployment('web', mountsFoo, managed, runningTheApp));
  await settled(release, '1.0.0', ['web']);

  await edit(release, { pods: 'image-error' });
  await parksFor(release, 'ImagePullBackOff');

  await release.hasTime();
  await app.becomes(() => 'works');
  await settled(release, '1.0.1', ['web']);
});

test('an exhausted quota is not the content’s fault', async () => {
  await using release = await ReleaseStory.start(engine);
  const { given, when } = release;
  await release.shortBake(['foo'], { progressDeadlineSeconds: 2 });
  await given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountsFoo, managed));
  await settled(release, '1.0.0', ['web']);
  await given.object(resourceQuota('one-pod', { pods: '1' }));
  await release.eventually<ResourceQuota>(
    'the quota is exhausted',
    resourceQuotas,
    'one-pod',
    ({ status }) => status?.used?.['pods'] === '1',
  );

  await edit(release, { color: 'green' });
  const parked = await parksFor(release, 'FailedCreate');
  expect(conditionOf(parked, 'Ready')?.message).toContain('exceeded quota');

  await release.hasTime();
  await when.deleted(resourceQuotas, 'one-pod');
  await settled(release, '1.0.1', ['web']);
});

test('when the image changed together with the config, nobody can tell whose fault it is', async () => {
  await using release = await ReleaseStory.start(engine);
  await using app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { progressDeadlineSeconds: 2 });
  const web = () => deployment('web', mountsFoo, managed, runningTheApp);
  await release.when.applied(configMap('foo', { color: 'blue' }), web());
  const { status: before } = await settled(release, '1.0.0', ['web']);
  await release.eventually(
    'the template that works is written down',
    deployments,
    'web',
    ({ metadata }) => metadata.annotations?.[annotations.assignment]?.includes('"healthyTemplate"') === true,
  );

  await app.becomes(() => 'unready');
  const newImage = web();
  withImage('busybox:2')(newImage);
  await release.when.applied(configMap('foo', { color: 'green' }), newImage);
  const paused = await release.rolloutIs(
    '1.0.1 waits for a person',
    ({ phase, conditions }) =>
      phase === 'Paused' &&
      conditions?.some(({ type, reason }) => `${type} ${reason}` === 'Degraded TemplateChangedToo') === true,
  );
  expect(paused.status?.current?.object).toBe(before?.current?.object);
  await expectUndecided(release, paused);

  await release.hasTime();
  await app.becomes(() => 'works');
  await settled(release, '1.0.1', ['web']);
});

test('a missing key is caught before any pod is touched', async () => {
  await using release = await ReleaseStory.start(engine);
  const { client, namespace, given } = release;
  await release.shortBake(['foo']);
  await given.objects(
    configMap('foo', { color: 'blue', size: 'L' }),
    deployment('web', envFromKey('COLOR', 'foo', 'color'), managed),
  );
  await settled(release, '1.0.0', ['web']);
  const before = await client.list(pods, { namespace });

  await edit(release, { colour: 'green', size: 'L' });
  const failed = await release.rolloutIs('1.0.1 is refused', ({ phase }) => phase === 'Failed');
  expect(failed.status?.current?.version).toBe('1.0.0');
  expect(conditionOf(failed, 'Degraded')).toMatchObject({ status: 'True', reason: 'KeyMissing' });
  expect(conditionOf(failed, 'Degraded')?.message).toMatch(/1\.0\.1.*"color".*Deployment web/);
  await release.eventuallyEvent(
    'an event says so',
    'ConfigRollout',
    'configmap-foo',
    ({ type, reason }) => [type, reason].join() === 'Warning,KeyMissing',
  );
  const after = await client.list(pods, { namespace });
  expect(after.items.map(({ metadata }) => metadata.uid)).toEqual(
    before.items.map(({ metadata }) => metadata.uid),
  );

  await edit(release, { color: 'green', size: 'L' });
  await settled(release, '1.0.2', ['web']);
});
