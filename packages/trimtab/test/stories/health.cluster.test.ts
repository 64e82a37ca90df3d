import { configMaps, deployments, pods } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { UpdateDenial } from '@trimtab/test-bed/engines/update-denial.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { inWave, managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const app = () => [mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp] as const;
const web = () => deployment('web', ...app());
const edit = (release: ReleaseStory, data: Record<string, string>) =>
  release.when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
    foo.data = data;
  });
const isRolledBack = (release: ReleaseStory) =>
  release.rolloutIs(
    'the version is rolled back',
    ({ phase, target }) => phase === 'Failed' && target === undefined,
  );
const mountedBy = async ({ client, namespace }: ReleaseStory, name: string) =>
  mountedConfigMap(await client.get<Deployment>(deployments, { namespace, name }));

test('pods that never get Ready fail the version at the deadline, without a crash', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { progressDeadlineSeconds: 2 });
  await release.given.objects(configMap('foo'), web());
  const { status: before } = await settled(release, '1.0.0', ['web']);

  await edit(release, { pods: 'unready' });
  const failed = await isRolledBack(release);
  expect(conditionOf(failed, 'Degraded')?.message).toMatch(
    /1\.0\.1.*Deployment web: pod web-.*ProgressDeadlineExceeded.*2 s/,
  );
  expect(await mountedBy(release, 'web')).toBe(before?.current?.object);
  const copy = (await release.copies()).get('1.0.1');
  expect(copy?.metadata.labels?.[labels.state]).toBe('rejected');
  expect(copy?.metadata.annotations?.[annotations.rejected]).toContain('ProgressDeadlineExceeded');
});

test('slow starters and a single restart are not failures', async () => {
  await using release = await ReleaseStory.start(engine);
  await using simulated = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo'), web(), deployment('once', ...app()));
  await settled(release, '1.0.0', ['web', 'once']);

  await edit(release, { web: 'starts', once: 'crash-once' });
  await release.eventuallyAll(
    'the one has ended once and been started again',
    pods,
    (all) => all.some((pod) => JSON.stringify(pod).includes('"restartCount":1')),
    'app=once',
  );
  const { status } = await release.rollout();
  expect(status).toMatchObject({ phase: 'BeingCurrent', target: { version: '1.0.1' } });
  expect(lineOf(status, 'web')?.state).toBe('Progressing');

  await simulated.becomes(() => 'works');
  await settled(release, '1.0.1', ['web', 'once']);
});

test('a pod that is Ready and then no longer, while the version bakes, fails it', async () => {
  await using release = await ReleaseStory.start(engine);
  await using simulated = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { bakeSeconds: 600 });
  await release.given.objects(configMap('foo', { color: 'blue' }), web());
  const { status: before } = await settled(release, '1.0.0', ['web']);

  await edit(release, { color: 'green' });
  const baking = await release.rolloutIs(
    '1.0.1 bakes',
    (status) => status.target !== undefined && lineOf(status, 'web')?.state === 'Healthy',
  );
  expect(baking.status).toMatchObject({ phase: 'BeingCurrent', current: { version: '1.0.0' } });
  await simulated.becomes(({ color }) => (color === 'green' ? 'unready' : 'works'));
  const failed = await isRolledBack(release);
  expect(conditionOf(failed, 'Degraded')?.message).toContain('ReadyLost');
  expect(await mountedBy(release, 'web')).toBe(before?.current?.object);
});

test('with onFailure: Pause a failed version stays until a person mends the config', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo'], { onFailure: 'Pause' });
  await release.given.objects(configMap('foo'), web());
  await settled(release, '1.0.0', ['web']);

  await edit(release, { pods: 'crash-loop' });
  const paused = await release.rolloutIs('1.0.1 waits for a person', ({ phase }) => phase === 'Paused');
  expect(paused.status).toMatchObject({ current: { version: '1.0.0' }, target: { version: '1.0.1' } });
  expect(conditionOf(paused, 'Degraded')?.status).toBe('True');
  const copy = (await release.copies()).get('1.0.1');
  expect(copy?.metadata.labels).toMatchObject({ [labels.state]: 'not-current', [labels.inUse]: 'true' });
  expect(await mountedBy(release, 'web')).toBe(copy?.metadata.name);

  await edit(release, { pods: 'works' });
  const mended = await settled(release, '1.0.2', ['web']);
  expect(mended.status?.history?.slice(0, 2)).toMatchObject([
    { version: '1.0.2', result: 'Current' },
    { version: '1.0.1', result: 'Superseded' },
  ]);
});

test('paused: nothing moves, not even the next wave, until it is taken back', async () => {
  await using release = await ReleaseStory.start(engine);
  await using simulated = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  const pause = (paused: boolean) =>
    release.when.edited<{ metadata: object; spec: { paused?: boolean } }>(
      configRollouts,
      'configmap-foo',
      (it) => {
        it.spec.paused = paused;
      },
    );
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo'), web(), deployment('late', ...app(), inWave(1)));
  const { status: before } = await settled(release, '1.0.0', ['web', 'late']);

  await pause(true);
  await edit(release, { web: 'starts' });
  await release.eventuallyEvent('1.0.1 is made', 'ConfigRollout', 'configmap-foo', ({ message }) =>
    message.includes('1.0.1'),
  );
  const held = await release.rolloutIs('it is paused', ({ phase }) => phase === 'Paused');
  expect(held.status).toMatchObject({ current: { version: '1.0.0' }, updated: '2/2' });
  expect(await mountedBy(release, 'web')).toBe(before?.current?.object);

  await pause(false);
  await release.rolloutIs('the first wave moves', (status) => lineOf(status, 'web')?.state === 'Progressing');
  await pause(true);
  await release.rolloutIs(
    'it is paused in the middle',
    ({ phase, target }) => phase === 'Paused' && target !== undefined,
  );
  await simulated.becomes(() => 'works');
  await release.eventually<Deployment>(
    'web runs 1.0.1',
    deployments,
    'web',
    ({ metadata, status }) =>
      status?.observedGeneration === metadata.generation &&
      status?.updatedReplicas === 1 &&
      status.replicas === 1,
  );
  expect(await mountedBy(release, 'late')).toBe(before?.current?.object);

  await pause(false);
  await settled(release, '1.0.1', ['web', 'late']);
});

test('a revert that is denied is told, the others proceed, and it is made up for', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo'), web(), deployment('frozen', ...app()));
  const { status: before } = await settled(release, '1.0.0', ['web', 'frozen']);

  await edit(release, { frozen: 'starts', web: 'starts' });
  await release.rolloutIs('both are moved', (status) =>
    ['web', 'frozen'].every(
      (name) => lineOf(status, name)?.state === 'Progressing' && lineOf(status, name)?.updated === 1,
    ),
  );
  await using ban = await UpdateDenial.impose(engine, deployments, {
    namespace: release.namespace,
    name: 'frozen',
  });
  await release.when.podsBehave('app=web', 'crash-loop');
  const denied = await release.rolloutIs('the revert fails', ({ phase }) => phase === 'RollbackFailed');
  expect(conditionOf(denied, 'Degraded')).toMatchObject({ status: 'True', reason: 'RollbackFailed' });
  expect(conditionOf(denied, 'Degraded')?.message).toMatch(/Deployment frozen.*denied by the test/);
  await release.eventually<Deployment>(
    'web has 1.0.0 back',
    deployments,
    'web',
    (it) => mountedConfigMap(it) === before?.current?.object,
  );
  expect(await mountedBy(release, 'frozen')).not.toBe(before?.current?.object);

  await ban.lift();
  await isRolledBack(release);
  expect(await mountedBy(release, 'frozen')).toBe(before?.current?.object);
});
