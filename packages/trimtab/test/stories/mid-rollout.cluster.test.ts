import { configMaps, deployments, pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, type PodTemplate } from '@trimtab/test-bed/objects/pod-template.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { mountedByPod } from '../support/mounted-versions.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';
import { type App, runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

interface Pod extends KubeObject {
  spec: PodTemplate['spec'];
}

const mountingFoo = mountingConfigMap('foo', '/etc/foo');
const slowOnGreen: App = ({ color }) => (color === 'green' ? 'starts' : 'works');
const works: App = () => 'works';

test('scaling up and down in the middle of a rollout neither fails nor stalls it', async () => {
  await using it = await ReleaseStory.start(engine);
  await using app = await SimulatedApp.start(it.client, it.namespace, slowOnGreen);
  await it.shortBake(['foo']);
  const web = deployment('web', mountingFoo, managed, runningTheApp, withReplicas(2));
  await it.given.objects(configMap('foo', { color: 'blue' }), web);
  await settled(it, '1.0.0', ['web']);
  const { namespace } = it;
  await using copies = await StateRecording.start(it.client, configMaps, {
    namespace,
    labelSelector: labels.versionOf,
  });

  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await it.rolloutIs('the first new pod is there', (status) => (lineOf(status, 'web')?.updated ?? 0) > 0);
  for (const replicas of [5, 1, 4]) {
    await it.when.scaled(deployments, 'web', replicas);
    await it.rolloutIs(
      `it is still on its way, now to ${replicas} pods`,
      (status) => status.phase === 'BeingCurrent' && lineOf(status, 'web')?.total === replicas,
    );
  }
  await app.becomes(works);
  const { status } = await settled(it, '1.0.1', ['web']);
  expect(status).toMatchObject({ updated: '4/4', history: [{ version: '1.0.1', result: 'Current' }] });
  await it.eventuallyAll<Pod>(
    'four pods run it, and no others',
    pods,
    (all) => all.length === 4 && all.every((pod) => mountedByPod(pod) === status?.current?.object),
  );
  // Each version passed through its states once: no state was reverted.
  const states = (await copies.upToNow()).map(({ metadata }) => [
    metadata.annotations?.[annotations.version],
    metadata.labels?.[labels.state],
  ]);
  const way = (version: string) =>
    states
      .filter(([name]) => name === version)
      .map(([, state]) => state)
      .filter((state, index, all) => state !== all[index - 1]);
  expect(way('1.0.0')).toEqual(['current', 'not-current']);
  expect(way('1.0.1')).toEqual(['not-current', 'current']);
});

test('a paused Deployment is waited for, and goes on when it is resumed', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo'], { progressDeadlineSeconds: 1 });
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountingFoo, managed));
  await settled(it, '1.0.0', ['web']);
  await it.when.kubectl('rollout', 'pause', 'deployment/web');
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const waiting = await it.rolloutIs(
    'it waits to be resumed',
    (status) => lineOf(status, 'web')?.state === 'WaitingForResume',
  );
  expect(waiting.status).toMatchObject({ phase: 'BeingCurrent', current: { version: '1.0.0' } });
  expect(lineOf(waiting.status, 'web')?.message).toContain('kubectl rollout resume deployment/web');
  await it.hasTime();
  await it.when.kubectl('rollout', 'resume', 'deployment/web');
  await settled(it, '1.0.1', ['web']);
});

test('where no pod has to take it, a version is current at once', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo', 'lonely']);
  await it.given.objects(
    configMap('lonely', { color: 'blue' }),
    configMap('foo', { color: 'blue' }),
    deployment('web', mountingFoo, managed, withReplicas(0)),
  );
  await it.isCurrent('1.0.0');
  await it.eventually<Deployment>(
    'web has its copy',
    deployments,
    'web',
    (web) => mountedConfigMap(web) !== 'foo',
  );
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const { status } = await it.isCurrent('1.0.1');
  await it.when.scaled(deployments, 'web', 1);
  await it.eventuallyAll<Pod>(
    'the first pod runs it',
    pods,
    ([pod]) => pod !== undefined && mountedByPod(pod) === status?.current?.object,
  );

  await it.isCurrent('1.0.0', 'configmap-lonely');
  await it.when.edited(configMaps, 'lonely', withData({ color: 'green' }));
  await it.isCurrent('1.0.1', 'configmap-lonely');

  await it.when.deleted(deployments, 'web');
  await it.rolloutIs('web is not counted any more', ({ workloads }) => workloads?.length === 0);
  await it.when.edited(configMaps, 'foo', withData({ color: 'yellow' }));
  await it.isCurrent('1.0.2');
});

test('a workload that is deleted in the middle of a rollout is not waited for', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, ({ color }, { metadata }) =>
    color === 'green' && metadata.labels?.['app'] === 'api' ? 'starts' : 'works',
  );
  await it.shortBake(['foo']);
  const both = ['web', 'api'].map((name) => deployment(name, mountingFoo, managed, runningTheApp));
  await it.given.objects(configMap('foo', { color: 'blue' }), ...both);
  await settled(it, '1.0.0', ['web', 'api']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await it.rolloutIs(
    'api holds it up',
    (status) => lineOf(status, 'web')?.state === 'Healthy' && lineOf(status, 'api')?.state === 'Progressing',
  );
  await it.when.deleted(deployments, 'api');
  const { status } = await settled(it, '1.0.1', ['web']);
  expect(status?.workloads?.map(({ name }) => name)).toEqual(['web']);
});

test('a config that is deleted leaves its pods alone, and is managed again when it comes back', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountingFoo, managed));
  const { status } = await settled(it, '1.0.0', ['web']);
  const before = await it.object<Deployment>(deployments, 'web');

  await it.when.deleted(configMaps, 'foo');
  await it.when.scaled(deployments, 'web', 2);
  await it.rolloutIs('a new pod starts without it', (now) => lineOf(now, 'web')?.updated === 2);
  await it.given.objects(configMap('foo', { color: 'blue' }));
  await it.eventually('foo is managed again', configMaps, 'foo', (foo) => foo.metadata.labels !== undefined);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  expect([...(await it.copies()).keys()].sort()).toEqual(['1.0.0', '1.0.1']);
  const after = await it.object<Deployment>(deployments, 'web');
  // One generation for the scale and one for the edit: recreating the config changed nothing.
  expect((after.metadata.generation ?? 0) - (before.metadata.generation ?? 0)).toBe(2);
  expect(status?.current?.object).toBe(mountedConfigMap(before));
});

test('a replace that drops every annotation and label changes neither the management nor the version', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  const plain = deployment('web', mountingFoo);
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountingFoo, managed));
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const { status } = await settled(it, '1.0.1', ['web']);

  await it.when.replaced(plain);
  await it.eventually<Deployment>(
    'web has its copy again',
    deployments,
    'web',
    (web) => mountedConfigMap(web) === status?.current?.object,
  );
  await it.rolloutIs(
    'the lost opt-in is told',
    ({ conditions }) =>
      conditions?.some((each) => each.type === 'OptInLost' && each.status === 'True') ?? false,
  );
  const after = await settled(it, '1.0.1', ['web']);
  expect(after.status?.history).toHaveLength(1);
});

test('a ConfigRollout that is deleted and made anew finds what is current, and nothing restarts', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountingFoo, managed));
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const before = await settled(it, '1.0.1', ['web']);
  const web = await it.object<Deployment>(deployments, 'web');

  await it.when.deleted(configRollouts, 'configmap-foo');
  const anew = await it.eventually<ConfigRollout>(
    'it is there again',
    configRollouts,
    'configmap-foo',
    (rollout) => rollout.metadata.uid !== before.metadata.uid && rollout.status?.current !== undefined,
  );
  expect(anew.status?.current).toMatchObject({ version: '1.0.1', object: before.status?.current?.object });
  await settled(it, '1.0.1', ['web']);
  const after = await it.object<Deployment>(deployments, 'web');
  expect(after.spec.template).toEqual(web.spec.template);

  await it.when.kubectl(
    'patch',
    'configrollout',
    'configmap-foo',
    '--type=merge',
    '-p',
    '{"spec":{"strategy":{"bakeSeconds":1}}}',
  );
  await it.when.edited(configMaps, 'foo', withData({ color: 'yellow' }));
  await settled(it, '1.0.2', ['web']);
});
