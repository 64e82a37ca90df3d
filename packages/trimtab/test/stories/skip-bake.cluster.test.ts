import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp);
const edit = (it: ReleaseStory, data: Record<string, string>) =>
  it.when.edited(configMaps, 'foo', withData(data));

/** Requests a version. `skipBake` is the id of the request that skips the bake time. */
async function request(it: ReleaseStory, version: string, id: string, skipBake: string): Promise<void> {
  const marks = { [annotations.requestId]: id, [annotations.skipBake]: skipBake };
  await it.client.patch(
    configRollouts,
    { namespace: it.namespace, name: 'configmap-foo' },
    { type: 'merge', body: { metadata: { annotations: marks }, spec: { version } } },
  );
}

/** Waits until the workload runs the version and only the bake time is missing. */
const bakes = (it: ReleaseStory, version: string) =>
  it.rolloutIs(
    `${version} bakes`,
    (status) => status.target?.version === version && lineOf(status, 'web')?.state === 'Healthy',
  );

/** Starts a story in which 1.0.1 is current, and from now on a bake takes longer than the test. */
async function startWithTwoVersions(app = obedientApp) {
  const it = await ReleaseStory.start(engine);
  const simulated = await SimulatedApp.start(it.client, it.namespace, app);
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  const first = await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  const second = await settled(it, '1.0.1', ['web']);
  await it.strategyIs({ bakeSeconds: 3600 });
  const [blue, green] = [first.status?.current?.object, second.status?.current?.object];
  return {
    it,
    simulated,
    ...{ blue, green },
    async [Symbol.asyncDispose]() {
      await simulated[Symbol.asyncDispose]();
      await it[Symbol.asyncDispose]();
    },
  };
}

test('a request that skips the bake is current as soon as its pods are healthy, also after a restart', async () => {
  await using story = await startWithTwoVersions();
  const { it, simulated, blue } = story;
  await simulated.becomes(({ color }) => (color === 'blue' ? 'starts' : 'works'));
  await request(it, '1.0.0', 'first', 'first');
  await it.rolloutIs('1.0.0 is on its way', ({ target }) => target?.version === '1.0.0');
  await it.controllerRestarts();
  await simulated.becomes(() => 'works');
  await settled(it, '1.0.0', ['web']);
  await podsRun(it, 'web', blue);
});

test('the next release bakes again: an edit, and a request with another id', async () => {
  await using story = await startWithTwoVersions();
  const { it } = story;
  await request(it, '1.0.0', 'first', 'first');
  await settled(it, '1.0.0', ['web']);

  await request(it, '1.0.1', 'second', 'first');
  await bakes(it, '1.0.1');
  await edit(it, { color: 'red' });
  await bakes(it, '1.0.2');
  expect((await it.rollout()).metadata.annotations).not.toHaveProperty(annotations.skipBake);
});

test('a version that fails is rolled back although it skips the bake', async () => {
  await using story = await startWithTwoVersions();
  const { it, simulated, green } = story;
  await simulated.becomes(({ color }) => (color === 'blue' ? 'crash-loop' : 'works'));
  await request(it, '1.0.0', 'first', 'first');
  await isRolledBack(it, '1.0.0');
  await podsRun(it, 'web', green);
});
