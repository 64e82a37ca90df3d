import { configMaps, deployments, pods, replicaSets, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromSecret, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { afterAll, expect, test } from 'vitest';
import type { ConfigBody } from '../../src/api/config-body.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { contentHash } from '../../src/core/version/content-hash.ts';
import { versionObject } from '../../src/core/version/version-object.ts';
import { barePod } from '../controller/retention-objects.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const soon = ['--remove-unused-after', '1s'];
const mountsFoo = mountingConfigMap('foo', '/etc/foo');

/** Releases `bar`, uninstalls it and waits until it is removed. What is unused since before must be gone then, too. */
async function barIsRemoved(it: ReleaseStory): Promise<void> {
  await it.given.objects(
    configMap('bar', { color: 'blue' }),
    deployment('bar', mountingConfigMap('bar', '/etc/bar'), managed),
  );
  await settled(it, '1.0.0', ['bar'], 'configmap-bar');
  await it.when.kubectl('delete', 'deployment/bar', 'configmap/bar');
  await it.eventuallyGone(configRollouts, 'configmap-bar');
}

const noVersionsOf = async (it: ReleaseStory, config: string) => {
  const selector = `${labels.config}=${config},${labels.versionOf}`;
  for (const resource of [configMaps, secrets])
    await it.eventuallyAll('no version is left', resource, (all) => all.length === 0, selector);
};

test('what was uninstalled goes with all its copies, and a reinstall starts anew from its own content', async () => {
  await using it = await installedStory(engine, soon);
  await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo', 'secret/key', 'early'], { bakeSeconds: 0 });
  await it.when.applied(configMap('foo', { color: 'blue' }), secret('key', { token: 'a' }));
  const web = () => deployment('web', mountsFoo, envFromSecret('key'), managed, runningTheApp);
  await it.when.applied(web());
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-key');
  await it.when.edited(configMaps, 'foo', withData({ pods: 'crash-loop' }));
  const old = await it.rolloutIs(
    '1.0.1 is rolled back',
    ({ phase, target }) => phase === 'Failed' && !target,
  );
  const copy = await it.object<ConfigBody>(configMaps, old.status?.current?.object ?? '');
  const hash = contentHash({ data: { made: 'by hand' } });
  const byHand = versionObject(
    old,
    { ...copy, data: { made: 'by hand' } },
    {
      ...{ name: 'spare', sequence: 3, contentHash: hash, createdBy: 'ann', state: 'not-current' },
    },
  );
  annotated({ [annotations.madeByHand]: 'true' })(byHand);
  delete byHand.metadata.ownerReferences;
  await it.given.objects(byHand);

  await it.when.kubectl('delete', 'deployment/web', 'configmap/foo', 'secret/key');
  await it.eventuallyGone(configRollouts, 'configmap-foo');
  await it.eventuallyGone(configRollouts, 'secret-key');
  await noVersionsOf(it, 'foo');
  await noVersionsOf(it, 'key');
  expect(it.controller.log.match(/"configmap-foo".*ConfigRollout and its versions deleted/g)).toHaveLength(1);
  const early = await it.rollout('configmap-early');
  expect(early.metadata.deletionTimestamp, 'made in advance, it waits for its config').toBeUndefined();

  await it.when.applied(configMap('foo', { pods: 'works' }), secret('key', { token: 'b' }));
  await it.when.applied(web());
  const anew = await settled(it, '1.0.0', ['web']);
  expect(anew.metadata.uid).not.toBe(old.metadata.uid);
  const live = await it.object<ConfigMap>(configMaps, anew.status?.current?.object ?? '');
  expect(live.data).toEqual({ pods: 'works' });
  await it.eventuallyAll('no pod ever started on the old release', replicaSets, (all) => all.length === 1);
});

test('a content that was rejected before the uninstall is tried like any other after it', async () => {
  await using it = await ReleaseStory.start(engine, { flags: soon });
  await using app = await SimulatedApp.start(it.client, it.namespace, ({ color }) =>
    color === 'red' ? 'crash-loop' : 'works',
  );
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  const install = (color: string) =>
    it.given.objects(configMap('foo', { color }), deployment('web', mountsFoo, managed, runningTheApp));
  await install('blue');
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'red' }));
  await it.rolloutIs('1.0.1 is rolled back', ({ phase, target }) => phase === 'Failed' && !target);
  await it.when.kubectl('delete', 'deployment/web', 'configmap/foo');
  await it.eventuallyGone(configRollouts, 'configmap-foo');
  await noVersionsOf(it, 'foo');

  await app.becomes(() => 'works');
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await install('blue');
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'red' }));
  await settled(it, '1.0.1', ['web']);
});

test('nothing goes while an old ReplicaSet or a pod could still need it', async () => {
  await using it = await ReleaseStory.start(engine, { flags: soon });
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountsFoo, managed));
  const first = await settled(it, '1.0.0', ['web']);
  const blue = first.status?.current?.object ?? '';
  await it.given.objects(barePod('guest', blue));

  // The workload lives on without foo. The last ReplicaSet that names a version is an old one with 0 replicas.
  await it.when.deleted(configMaps, 'foo');
  await it.when.edited<Deployment>(deployments, 'web', ({ spec }) => {
    delete spec.template.spec.volumes;
    for (const container of spec.template.spec.containers) delete container.volumeMounts;
  });
  await it.when.kubectl('rollout', 'status', 'deployment/web');
  await it.eventuallyAll('guest alone mounts it', pods, (all) => all.filter(mounts(blue)).length === 1);
  await barIsRemoved(it);
  expect((await it.rollout()).metadata.uid).toBe(first.metadata.uid);
  await it.when.deleted(pods, 'guest');
  await it.eventuallyGone(pods, 'guest');
  await barIsRemoved(it);
  expect((await it.rollout()).metadata.uid).toBe(first.metadata.uid);

  await it.when.kubectl('rollout', 'undo', 'deployment/web');
  const web = await it.object<Deployment>(deployments, 'web');
  expect(mountedConfigMap(web), 'foo is gone, and its release is still there').toBe(blue);
  await it.when.kubectl('rollout', 'status', 'deployment/web');

  await it.when.deleted(deployments, 'web');
  await it.eventuallyGone(configRollouts, 'configmap-foo');
  await it.eventuallyGone(configMaps, blue);
});

function mounts(configMap: string): (pod: KubeObject) => boolean {
  return (pod) => JSON.stringify(pod).includes(JSON.stringify(configMap));
}
