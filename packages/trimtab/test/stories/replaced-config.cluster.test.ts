import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { labels } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { type App, runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp);
const slowOnGreen: App = ({ color }) => (color === 'green' ? 'starts' : 'works');

/** `kubectl create configmap foo … --dry-run=client -o yaml | kubectl replace -f -`, which drops all labels. */
async function replaced({ when }: ReleaseStory, color: string): Promise<void> {
  const manifest = await when.kubectl(
    ...['create', 'configmap', 'foo', `--from-literal=color=${color}`, '--dry-run=client', '-o', 'yaml'],
  );
  await when.replaced(parse(manifest) as KubeObject);
}
const isLabelledAgain = (it: ReleaseStory) =>
  it.eventually(
    'foo has its label again',
    configMaps,
    'foo',
    ({ metadata }) => metadata.labels?.[labels.config] === 'foo',
  );
const isUnderWay = (it: ReleaseStory, version: string) =>
  it.rolloutIs(
    `${version} is on its way`,
    (status) => status.target?.version === version && lineOf(status, 'web')?.updated === 1,
  );
const activationsOf = (states: readonly ConfigRollout[]) => [
  ...new Set(states.flatMap(({ status }) => status?.target?.activation ?? [])),
];

test('a replace that drops the label is an edit like any other, also when a person had named a version', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, () => 'works');
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  const wish = '{"spec":{"version":"1.0.0"}}';
  await it.when.kubectl('patch', 'configrollout/configmap-foo', '--type=merge', `--patch=${wish}`);
  await settled(it, '1.0.0', ['web']);

  await replaced(it, 'red');
  const { spec, status } = await settled(it, '1.0.2', ['web']);
  expect(spec.version).toBeUndefined();
  expect((await it.copies()).get('1.0.2')?.data).toEqual({ color: 'red' });
  await podsRun(it, 'web', status?.current?.object);
});

test('a replace with the same content takes back no version that a person had named', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, () => 'works');
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  const wish = '{"spec":{"version":"1.0.0"}}';
  await it.when.kubectl('patch', 'configrollout/configmap-foo', '--type=merge', `--patch=${wish}`);
  await settled(it, '1.0.0', ['web']);
  const { metadata } = await it.object(deployments, 'web');

  await replaced(it, 'green');
  await isLabelledAgain(it);
  // A scale-up makes the controller look at everything again.
  await it.when.kubectl('scale', 'deployment/web', '--replicas=2');
  const { spec } = await it.rolloutIs(
    'the second pod counts',
    (status) => lineOf(status, 'web')?.updated === 2 && status.current?.version === '1.0.0',
  );
  expect(spec.version).toBe('1.0.0');
  const { metadata: after } = await it.object(deployments, 'web');
  expect((after.generation ?? 0) - (metadata.generation ?? 0)).toBe(1);
});

test('a replace with the same content in the middle of an activation supersedes nothing', async () => {
  await using it = await ReleaseStory.start(engine);
  await using app = await SimulatedApp.start(it.client, it.namespace, slowOnGreen);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  const { namespace } = it;
  await using recording = await StateRecording.start<ConfigRollout>(it.client, configRollouts, { namespace });
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await isUnderWay(it, '1.0.1');

  await replaced(it, 'green');
  await isLabelledAgain(it);
  await app.becomes(() => 'works');
  const { status } = await settled(it, '1.0.1', ['web']);
  expect(activationsOf(await recording.upToNow())).toHaveLength(1);
  expect(status?.history).toMatchObject([{ version: '1.0.1', result: 'Current' }]);
  expect(status?.history).toHaveLength(1);
});

test('a replace with content that was rejected never makes the rollout look Ready', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'works' }), web());
  await settled(it, '1.0.0', ['web']);
  await it.when.edited(configMaps, 'foo', withData({ pods: 'config-error' }));
  await isRolledBack(it, '1.0.1');
  const { namespace } = it;
  await using recording = await StateRecording.start<ConfigRollout>(it.client, configRollouts, { namespace });

  const manifest = configMap('foo', { pods: 'config-error' });
  await it.when.replaced({ ...manifest, metadata: { ...manifest.metadata, namespace } });
  const { metadata } = await isLabelledAgain(it);
  await it.rolloutIs(
    'the status describes the config as it is now',
    ({ observed }) => Number(observed?.liveResourceVersion) >= Number(metadata.resourceVersion),
  );
  const phases = (await recording.upToNow()).map((each) => [
    each.status?.phase,
    conditionOf(each, 'Ready')?.status,
  ]);
  expect(new Set(phases.map(String))).toEqual(new Set(['Failed,False']));
});

test('a config that is deleted in the middle of an activation asks for nothing: the activation goes on', async () => {
  await using it = await ReleaseStory.start(engine);
  await using app = await SimulatedApp.start(it.client, it.namespace, slowOnGreen);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  const { namespace } = it;
  await using recording = await StateRecording.start<ConfigRollout>(it.client, configRollouts, { namespace });
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await isUnderWay(it, '1.0.1');

  await it.when.kubectl('delete', 'configmap/foo');
  await app.becomes(() => 'works');
  const { status } = await it.rolloutIs(
    '1.0.1 is current',
    ({ current, target }) => current?.version === '1.0.1' && target === undefined,
  );
  expect(activationsOf(await recording.upToNow())).toHaveLength(1);
  await podsRun(it, 'web', status?.current?.object);
});
