import { configMaps, deployments, pods, secrets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import type { ConfigMap } from '@trimtab/test-bed/objects/config-map.ts';
import type { Deployment } from '@trimtab/test-bed/objects/deployment.ts';
import type { HelmName } from '@trimtab/test-bed/tools/helm.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { labels } from '../../src/api/names.ts';
import { managedFieldsOf } from '../../src/core/managed-fields/managed-fields.ts';
import { installedStory, policyStory } from '../support/installed-story.ts';
import { mountedByPod, type Pod, podsRun } from '../support/mounted-versions.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { HelmStory } from './helm-story.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const timeout = 240_000;

describe.each<HelmName>(['helm-4', 'helm-3'])('%s', (helm) => {
  test('installs, upgrades, rolls back and uninstalls a managed workload, unforced', {
    timeout,
  }, async () => {
    const start = () => installedStory(engine, ['--remove-unused-after', '1s']);
    await using it = await HelmStory.start(engine, { bakeSeconds: 0 }, start);
    const { release } = it;
    await it.install(helm, { color: 'blue' });
    const blue = await settled(release, '1.0.0', ['web']);
    expect(await it.replicaSetCount()).toBe(1);

    await it.upgrade(helm, { color: 'green' });
    await settled(release, '1.0.1', ['web']);
    expect(await it.replicaSetCount()).toBe(2);
    const entries = managedFieldsOf(await release.object(deployments, 'web'));
    const its = entries.filter(({ manager }) => manager === 'helm').map(({ operation }) => operation);
    expect(its, 'Helm 4 applies server-side').toEqual(helm === 'helm-4' ? ['Apply'] : ['Update']);

    await it.upgrade(helm, { color: 'red' });
    const red = await settled(release, '1.0.2', ['web']);
    expect(await it.replicaSetCount()).toBe(3);
    await podsRun(release, 'web', red.status?.current?.object);

    await it.upgrade(helm, { color: 'red' });
    await it.helm(helm, 'rollback', 'web', '1');
    await settled(release, '1.0.0', ['web']);
    await podsRun(release, 'web', blue.status?.current?.object);
    expect(await it.replicaSetCount()).toBe(3);

    await it.helm(helm, 'uninstall', 'web');
    await release.eventuallyGone(configRollouts, 'configmap-foo');
    for (const resource of [configMaps, secrets])
      await release.eventuallyAll(
        'no version is left',
        resource,
        (all) => all.length === 0,
        `${labels.config}=foo`,
      );
  });

  test('a config and an image that change in one upgrade are one rolling update', { timeout }, async () => {
    await using it = await HelmStory.start(engine, { bakeSeconds: 0 });
    const { release } = it;
    await it.install(helm, { color: 'blue', tag: '1' });
    await settled(release, '1.0.0', ['web']);
    for (const [index, color] of ['green', 'red'].entries()) {
      await it.upgrade(helm, { color, tag: `${index + 2}`, checksum: true });
      const { status } = await settled(release, `1.0.${index + 1}`, ['web']);
      await podsRun(release, 'web', status?.current?.object);
      expect(await it.replicaSetCount()).toBe(index + 2);
    }
  });

  test('a wait after an upgrade ends when the config is released, and Helm does not wait for it', {
    timeout,
  }, async () => {
    await using it = await HelmStory.start(engine, { bakeSeconds: 10 });
    const { release } = it;
    await it.install(helm, { color: 'blue' }, '--wait');
    expect(await it.wait()).toMatchObject({ code: 0, stdout: expect.stringContaining('1.0.0 is current') });

    await it.upgrade(helm, { color: 'green' }, '--wait');
    expect((await release.rollout()).status?.current?.version).toBe('1.0.0');
    expect(await it.wait('--for=ready')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1.0.1 is current'),
    });
    expect((await release.rollout()).status?.current?.version).toBe('1.0.1');

    // Nothing of the config changes.
    await it.upgrade(helm, { color: 'green', tag: '2' }, '--wait');
    expect((await it.wait('--for=ready')).code).toBe(0);
  });

  test('a config that fails is rolled back by Trimtab, while Helm reports the upgrade as deployed', {
    timeout,
  }, async () => {
    await using it = await HelmStory.start(engine, { bakeSeconds: 1 });
    const { release } = it;
    await it.install(helm, { color: 'blue' });
    const blue = await settled(release, '1.0.0', ['web']);
    await it.upgrade(helm, { color: 'broken' }, onFailure[helm], '--timeout=60s');
    const failed = await it.wait();
    expect(failed).toMatchObject({ code: 3, stderr: expect.stringContaining('1.0.1 was rolled back') });
    expect(failed.stderr).toContain('no such color');
    await isRolledBack(release, '1.0.1');
    await podsRun(release, 'web', blue.status?.current?.object);
    expect(await it.helm(helm, 'status', 'web')).toContain('STATUS: deployed');

    // The rejected content is not tried again.
    const count = await it.replicaSetCount();
    await it.upgrade(helm, { color: 'broken' });
    expect((await it.wait()).code).toBe(3);
    expect(await it.replicaSetCount()).toBe(count);

    // What a person does then.
    await it.helm(helm, 'rollback', 'web', '1', '--wait');
    expect((await it.wait('--for=ready')).code).toBe(0);
    await settled(release, '1.0.0', ['web']);
    await it.upgrade(helm, { color: 'green' });
    await settled(release, '1.0.2', ['web']);

    // A release that is installed again at once continues with its versions.
    await it.helm(helm, 'uninstall', 'web', '--wait');
    await it.install(helm, { color: 'green' });
    await settled(release, '1.0.2', ['web']);
    await it.upgrade(helm, { color: 'broken' });
    expect((await it.wait()).code).toBe(3);
    expect((await release.rollout()).status?.current?.version).toBe('1.0.2');
  });

  test('with a checksum, Trimtab rolls the failing config back while Helm waits', { timeout }, async () => {
    await using it = await HelmStory.start(engine, { bakeSeconds: 1 });
    const { release } = it;
    await it.install(helm, { color: 'blue', checksum: true });
    const blue = await settled(release, '1.0.0', ['web']);
    await it.upgrade(helm, { color: 'broken', checksum: true }, onFailure[helm], '--timeout=60s');
    expect((await it.wait()).code).toBe(3);
    await isRolledBack(release, '1.0.1');
    await podsRun(release, 'web', blue.status?.current?.object);
  });

  test.each([
    ['Trimtab has given up, because the image changed, too', 1, true],
    ['Trimtab still waits for the pods', 1000, false],
  ])(
    'Helm rolls back while %s: both go to the old content',
    { timeout },
    async (_, maxRestarts, isGivenUp) => {
      await using it = await HelmStory.start(engine, { bakeSeconds: 1, maxRestarts });
      const { release } = it;
      await it.install(helm, { color: 'blue', tag: '1' });
      const blue = await settled(release, '1.0.0', ['web']);
      const upgrading = it.tryUpgrade(
        helm,
        { color: 'broken', tag: '2' },
        onFailure[helm],
        `--timeout=${isGivenUp ? 15 : 8}s`,
      );
      if (isGivenUp)
        await release.rolloutIs(
          'the activation waits for a person',
          ({ conditions }) => conditions?.some(({ reason }) => reason === 'TemplateChangedToo') === true,
        );
      const upgrade = await upgrading;
      expect(upgrade.code).toBe(1);
      expect(upgrade.stderr).toContain('has been rolled back');
      expect((await it.wait('--for=ready')).code).toBe(0);
      await settled(release, '1.0.0', ['web']);
      await podsRun(release, 'web', blue.status?.current?.object);
      await it.upgrade(helm, { color: 'green', tag: '2' }, onFailure[helm], '--timeout=60s');
      await settled(release, '1.0.2', ['web']);
    },
  );

  test('a chart changes the way of referencing, and back', { timeout }, async () => {
    await using it = await HelmStory.start(engine, { bakeSeconds: 0 });
    const { release } = it;
    await it.install(helm, { color: 'blue', references: 'template' });
    await settled(release, '1.0.0', ['web']);
    for (const references of ['admission', 'template', 'admission'] as const) {
      await it.upgrade(helm, { color: 'blue', references });
      const { status } = await settled(release, '1.0.0', ['web']);
      const named = references === 'admission' ? 'foo' : status?.current?.object;
      await release.eventually<Deployment>(
        'the template has the new way',
        deployments,
        'web',
        ({ spec }) => spec.template.spec.volumes?.some(({ configMap }) => configMap?.name === named) === true,
      );
      await podsRun(release, 'web', status?.current?.object);
      await it.upgrade(helm, { color: 'blue', references });
    }
    await it.upgrade(helm, { color: 'green', references: 'admission' });
    await settled(release, '1.0.1', ['web']);
  });

  test('upgrades in quick succession end with the last one', { timeout }, async () => {
    await using it = await HelmStory.start(engine, { bakeSeconds: 0 });
    const { release } = it;
    await it.install(helm, { color: 'blue' });
    for (const color of ['green', 'red', 'broken', 'white']) await it.upgrade(helm, { color, tag: color });
    expect((await it.wait('--for=ready')).code).toBe(0);
    const { status } = await release.rollout();
    const current = await release.object<ConfigMap>(configMaps, status?.current?.object ?? '');
    expect(current.data).toEqual({ color: 'white' });
    await podsRun(release, 'web', status?.current?.object);
  });

  test('a Job of a hook reads the live config, and a config that is a hook is released like another', {
    timeout,
  }, async () => {
    await using it = await HelmStory.start(engine, { bakeSeconds: 0 });
    const { release } = it;
    await it.install(helm, { color: 'blue', configIsHook: true });
    await settled(release, '1.0.0', ['web']);
    for (const [index, color] of ['green', 'red'].entries()) {
      await it.upgrade(helm, { color, configIsHook: true, jobs: true });
      await settled(release, `1.0.${index + 1}`, ['web']);
      expect(await it.replicaSetCount()).toBe(index + 2);
    }
    const { items } = await release.client.list<Pod>(pods, { namespace: release.namespace });
    const ofJobs = items.filter(({ metadata }) => metadata.labels?.['job-name'] !== undefined);
    expect(ofJobs.map(mountedByPod)).toEqual(['foo', 'foo']);
    await it.upgrade(helm, { color: 'red', configIsHook: true });
    expect((await it.wait('--for=ready')).code).toBe(0);
    await settled(release, '1.0.2', ['web']);
    expect(await it.replicaSetCount()).toBe(3);
    await it.helm(helm, 'rollback', 'web', '1');
    await settled(release, '1.0.0', ['web']);
  });
});

/** Flags that have Helm roll back an upgrade that fails; they imply that it waits. */
const onFailure = { 'helm-4': '--rollback-on-failure', 'helm-3': '--atomic' };

test.each<[string, () => Promise<ReleaseStory>]>([
  ['with the mutating policy', () => policyStory(engine)],
  ['without admission', () => ReleaseStory.start(engine)],
])('Helm 4 applies unforced %s, too', { timeout }, async (_, start) => {
  await using it = await HelmStory.start(engine, { bakeSeconds: 0 }, start);
  const { release } = it;
  await it.install('helm-4', { color: 'blue' });
  await settled(release, '1.0.0', ['web']);
  for (const [index, color] of ['green', 'red', 'yellow'].entries()) {
    await it.upgrade('helm-4', { color, tag: `${index}` });
    const { status } = await settled(release, `1.0.${index + 1}`, ['web']);
    await podsRun(release, 'web', status?.current?.object);
  }
  await it.helm('helm-4', 'rollback', 'web', '1');
  await settled(release, '1.0.0', ['web']);
});

test.each(['true', 'false', 'auto'])(
  'a release of Helm 3 is upgraded by Helm 4 with --server-side=%s',
  { timeout },
  async (serverSide) => {
    await using it = await HelmStory.start(engine, { bakeSeconds: 0 });
    const { release } = it;
    await it.install('helm-3', { color: 'blue' });
    await settled(release, '1.0.0', ['web']);
    await it.upgrade('helm-3', { color: 'green' });
    await settled(release, '1.0.1', ['web']);
    for (const [index, color] of ['red', 'yellow', 'black'].entries()) {
      await it.upgrade('helm-4', { color, tag: `${index}` }, `--server-side=${serverSide}`);
      await settled(release, `1.0.${index + 2}`, ['web']);
      expect(await it.replicaSetCount()).toBe(index + 3);
    }
    await it.helm('helm-4', 'rollback', 'web', '1', `--server-side=${serverSide}`);
    await settled(release, '1.0.0', ['web']);
  },
);

test('a release that began client-side and ends server-side, and back', { timeout }, async () => {
  await using it = await HelmStory.start(engine, { bakeSeconds: 0 });
  const { release } = it;
  await it.install('helm-4', { color: 'c0' }, '--server-side=false');
  await settled(release, '1.0.0', ['web']);
  for (const [index, serverSide] of ['auto', 'true', 'auto', 'false', 'true', 'true'].entries()) {
    await it.upgrade('helm-4', { color: `c${index + 1}` }, `--server-side=${serverSide}`);
    await settled(release, `1.0.${index + 1}`, ['web']);
    expect(await it.replicaSetCount()).toBe(index + 2);
  }
});

test('objects that an early Helm 4 created by an update are applied server-side, unforced', {
  timeout,
}, async () => {
  await using it = await HelmStory.start(engine, { bakeSeconds: 0 });
  const { release } = it;
  await it.createdByEarlyHelm4({ color: 'blue' });
  await settled(release, '1.0.0', ['web']);
  const entries = managedFieldsOf(await release.object(deployments, 'web'));
  const its = entries.filter(({ manager }) => manager === 'helm');
  expect(its.map(({ operation }) => operation)).toEqual(['Update']);
  await it.install('helm-4', { color: 'blue' }, '--server-side=true');
  for (const [index, color] of ['green', 'red'].entries()) {
    await it.upgrade('helm-4', { color });
    await settled(release, `1.0.${index + 1}`, ['web']);
    expect(await it.replicaSetCount()).toBe(index + 2);
  }
});
