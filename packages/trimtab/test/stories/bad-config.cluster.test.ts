import { configMaps, deployments, pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, type PodTemplate } from '@trimtab/test-bed/objects/pod-template.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { mountedByPod } from '../support/mounted-versions.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';
import { type App, runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

interface Pod extends KubeObject {
  spec: PodTemplate['spec'];
  status?: { containerStatuses?: { restartCount: number; state: { terminated?: object } }[] };
}

const app: App = ({ color }) => (color === 'broken' ? { crashes: 'no such color', exitCode: 3 } : 'works');
const web = deployment(
  'web',
  mountingConfigMap('foo', '/etc/foo'),
  withReplicas(3),
  runningTheApp,
  managed,
  ({ spec }) => {
    spec.strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
  },
);
const runsOn = (copy: ConfigMap | undefined) => (pod: Pod) => mountedByPod(pod) === copy?.metadata.name;
const versionOf = ({ metadata }: KubeObject) => Number(metadata.resourceVersion);

test('new pods that crash are rolled back at the second crash, and everything a person needs is told', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, app);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web);
  const first = await settled(it, '1.0.0', ['web']);
  const { namespace } = it;
  await using webs = await StateRecording.start<Deployment>(it.client, deployments, { namespace });
  await using allPods = await StateRecording.start<Pod>(it.client, pods, { namespace });

  await it.when.edited(configMaps, 'foo', withData({ color: 'broken' }));
  const failing = await it.rolloutIs('it rolls back', ({ phase }) => phase === 'RollingBack');
  const failed = await it.rolloutIs('it has rolled back', ({ phase }) => phase === 'Failed');
  await it.when.kubectl('rollout', 'status', 'deployment/web');

  const copies = await it.copies();
  const [good, bad] = [copies.get('1.0.0'), copies.get('1.0.1')];
  const states = await webs.upToNow();
  const isOnBad = (state: Deployment) => mountedConfigMap(state) === bad?.metadata.name;
  const reverted = states.find((state, index) => !isOnBad(state) && states.slice(0, index).some(isOnBad));
  expect(reverted && mountedConfigMap(reverted)).toBe(good?.metadata.name);
  const crashedTwice = (await allPods.upToNow())
    .filter(runsOn(bad))
    .find(({ status }) =>
      status?.containerStatuses?.some(
        ({ restartCount, state }) => restartCount === 1 && state.terminated !== undefined,
      ),
    );
  expect(crashedTwice && versionOf(crashedTwice)).toBeLessThan(versionOf(reverted ?? crashedTwice ?? web));
  expect(Math.min(...states.map(({ status }) => status?.availableReplicas ?? 0))).toBeGreaterThanOrEqual(2);

  const foo = await it.object<ConfigMap>(configMaps, 'foo');
  expect(foo.data).toEqual({ color: 'broken' });
  const degraded = conditionOf(failing, 'Degraded');
  const { name } = crashedTwice?.metadata ?? {};
  const whatHappened =
    /ersion 1\.0\.1 .*Deployment web: pod web-\S+, container app: \w+, exit code 3: no such color/;
  expect(degraded).toMatchObject({ status: 'True', message: expect.stringMatching(whatHappened) });
  expect(degraded?.message).toContain(name);
  await it.eventuallyEvent(
    'the crash is told',
    'ConfigRollout',
    'configmap-foo',
    ({ type, message }) => type === 'Warning' && whatHappened.test(message),
  );
  await it.eventuallyEvent(
    'the way back is told',
    'ConfigRollout',
    'configmap-foo',
    ({ reason, message }) => reason === 'RolledBack' && message.includes('1.0.1'),
  );
  expect(failed.status).toMatchObject({
    current: { version: '1.0.0', object: first.status?.current?.object },
    history: [{ version: '1.0.1', result: 'RolledBack' }],
  });
  expect(failed.status?.target).toBeUndefined();
  expect(conditionOf(failed, 'Degraded')?.message).toContain('no such color');
  expect(bad?.metadata.labels).toMatchObject({ 'trimtab.dev/state': 'rejected' });
});

test('the same content is not tried again, a fixed one is, and old content brings its old version back', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, app);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web);
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'broken' }));
  await it.rolloutIs('it has rolled back', ({ phase }) => phase === 'Failed');
  const bad = (await it.copies()).get('1.0.1');
  await it.eventuallyAll<Pod>('no pod runs on it', pods, (all) => !all.some(runsOn(bad)));
  await using allPods = await StateRecording.start<Pod>(it.client, pods, { namespace: it.namespace });

  // An edit of metadata, a restart of the controller and a rewrite of the same content must not activate it again.
  await it.when.edited(configMaps, 'foo', annotated({ note: 'who reads this' }));
  await it.controllerRestarts();
  await it.when.kubectl(
    'patch',
    'configrollout',
    'configmap-foo',
    '--type=merge',
    '-p',
    '{"spec":{"historyLimit":9}}',
  );
  const { metadata } = await it.rollout();
  await it.rolloutIs(
    'it was looked at again',
    ({ observed, phase }) => observed?.generation === metadata.generation && phase === 'Failed',
  );
  await it.when.edited(configMaps, 'foo', withData({ color: 'blue' }));
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'broken' }));
  const refused = await it.rolloutIs('it is refused', ({ phase }) => phase === 'Failed');
  expect(conditionOf(refused, 'Degraded')).toMatchObject({ reason: 'Rejected' });
  expect((await allPods.upToNow()).filter(runsOn(bad))).toEqual([]);
  expect(refused.status?.history).toMatchObject([{ version: '1.0.1', result: 'RolledBack' }]);

  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.2', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'blue' }));
  await settled(it, '1.0.0', ['web']);
  expect([...(await it.copies()).keys()].sort()).toEqual(['1.0.0', '1.0.1', '1.0.2']);
  expect((await it.copies()).get('1.0.0')?.metadata.annotations?.[annotations.version]).toBe('1.0.0');
});
