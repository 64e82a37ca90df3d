import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromConfigMap, mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { managed } from '../support/managed.ts';
import { podsRun } from '../support/mounted-versions.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const edit = (it: ReleaseStory, config: string, color: string) =>
  it.when.edited(configMaps, config, withData({ [config]: color }));

/** Releases a version of bar, so its interval has begun. */
async function intervalOfBarHasBegun(it: ReleaseStory): Promise<void> {
  await it.shortBake(['foo']);
  await it.shortBake(['bar'], { minIntervalSeconds: 3600 });
  await it.given.objects(
    configMap('foo', { foo: 'blue' }),
    configMap('bar', { bar: 'blue' }),
    deployment('web', mountingConfigMap('foo', '/etc/foo'), envFromConfigMap('bar'), managed),
  );
  await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'configmap-bar');
  await edit(it, 'bar', 'green');
  await settled(it, '1.0.1', ['web'], 'configmap-bar');
}

test('the interval of a neighbour that wants nothing holds no edit up', async () => {
  await using it = await ReleaseStory.start(engine);
  await intervalOfBarHasBegun(it);
  await edit(it, 'foo', 'green');
  const { status } = await settled(it, '1.0.1', ['web']);
  await podsRun(it, 'web', status?.current?.object);
});

test('a config that waits for its interval says so, and its neighbours do not wait with it', async () => {
  await using it = await ReleaseStory.start(engine);
  await intervalOfBarHasBegun(it);
  await edit(it, 'bar', 'red');
  const waiting = await it.rolloutIs(
    'bar waits',
    ({ conditions }) => conditions?.some(({ reason }) => reason === 'WaitingForInterval') === true,
    'configmap-bar',
  );
  expect(conditionOf(waiting, 'Ready')?.status).toBe('False');
  expect(waiting.status).toMatchObject({ current: { version: '1.0.1' } });
  expect(waiting.status?.target).toBeUndefined();

  await edit(it, 'foo', 'green');
  const { status } = await settled(it, '1.0.1', ['web']);
  await podsRun(it, 'web', status?.current?.object);
  const bar = await it.rollout('configmap-bar');
  expect(bar.status?.current?.version).toBe('1.0.1');

  await it.strategyIs({ minIntervalSeconds: 0 }, 'configmap-bar');
  await settled(it, '1.0.2', ['web'], 'configmap-bar');
});
