import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { isAborted } from '../support/outcomes.ts';
import { lineOf, settled } from '../support/settled.ts';
import { ReloadStory, reloaded } from './support/reload-story.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const api = () => deployment('api', mountingConfigMap('foo', '/etc/foo'), managed, reloaded);
const edit = ({ it }: ReloadStory, color: string) => it.when.edited(configMaps, 'foo', withData({ color }));
const versionsOf = async ({ it }: ReloadStory, name: string) =>
  (await it.object(deployments, name)).metadata.annotations?.[annotations.versions];

test('the pods of a pinned workload are not told of the next version, until it is unpinned', async () => {
  await using story = await ReloadStory.startWeb(engine);
  const { it, agents } = story;
  await it.given.objects(api());
  await settled(it, '1.0.0', ['web', 'api']);
  const blue = await versionsOf(story, 'web');
  await it.annotates(deployments, 'web', { [annotations.pin]: blue ?? '' });
  await it.rolloutIs('web is pinned', (status) => lineOf(status, 'web')?.state === 'Pinned');

  await edit(story, 'green');
  await settled(it, '1.0.1', ['api']);
  expect(await versionsOf(story, 'web')).toBe(blue);
  const [pod] = await story.pods('web');
  const told = `${pod?.metadata.name} configmap/foo 1.0.1`;
  expect(agents.given).not.toContain(told);

  // An annotation that is lost is restored with the pinned versions.
  await it.annotates(deployments, 'web', { [annotations.versions]: null });
  await it.eventually(
    'web has its versions again',
    deployments,
    'web',
    ({ metadata }) => metadata.annotations?.[annotations.versions] === blue,
  );

  await it.annotates(deployments, 'web', { [annotations.pin]: null });
  await settled(it, '1.0.1', ['web', 'api']);
  expect(agents.given).toContain(told);
});

test('an abort has all pods read the version before again', async () => {
  await using story = await ReloadStory.startWeb(engine, { bakeSeconds: 3600 });
  const { it, agents } = story;
  const [pod] = await story.pods('web');
  await edit(story, 'green');
  const baking = await it.rolloutIs(
    '1.0.1 bakes',
    (status) => status.target !== undefined && lineOf(status, 'web')?.state === 'Healthy',
  );
  await it.annotates(configRollouts, 'configmap-foo', {
    [annotations.abort]: baking.status?.target?.activation ?? '',
  });
  await isAborted(it, '1.0.1');
  await it.rolloutIs('web runs 1.0.0 again', (status) => lineOf(status, 'web')?.state === 'Healthy');
  expect(agents.given.at(-1)).toBe(`${pod?.metadata.name} configmap/foo 1.0.0`);
});
