import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { afterAll, expect, test } from 'vitest';
import { labels } from '../../src/api/names.ts';
import { mountedConfigMap } from '../support/release-story.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { ReloadStory } from './support/reload-story.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('an edit reaches all pods without a restart, and is current when they have acknowledged', async () => {
  await using story = await ReloadStory.startWeb(engine, {}, withReplicas(2));
  const { it } = story;
  const before = await story.pods('web');
  expect(before.every(({ metadata }) => metadata.labels?.[labels.injected] === 'true')).toBe(true);

  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const { status } = await settled(it, '1.0.1', ['web']);
  expect(lineOf(status, 'web')).toMatchObject({ mode: 'Reload', updated: before.length, state: 'Healthy' });
  const uids = (pods: typeof before) => pods.map(({ metadata }) => metadata.uid).sort();
  expect(uids(await story.pods('web'))).toEqual(uids(before));
  expect(mountedConfigMap(await it.object<Deployment>(deployments, 'web'))).toBe('foo');
  for (const { metadata } of before)
    expect(story.agents.given).toContain(`${metadata.name} configmap/foo 1.0.1`);
  expect(await acknowledgements(story, 'acknowledged')).toBeGreaterThanOrEqual(before.length);
  expect(await acknowledgements(story, 'refused')).toBe(0);
});

/** How many reports of agents the metrics of the gateway count. */
async function acknowledgements({ gateway }: ReloadStory, result: string): Promise<number> {
  const series = `trimtab_gateway_acknowledgements_total\\{result="${result}",code="20[02]"\\} (\\d+)`;
  const found = (await gateway.metrics()).matchAll(new RegExp(series, 'g'));
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('a refusal rolls all pods back, with the words of the application', async () => {
  await using story = await ReloadStory.startWeb(engine, {}, withReplicas(2));
  const { it, agents } = story;
  const before = await story.pods('web');
  const [first] = before.map(({ metadata }) => metadata.name ?? '').sort();
  agents.answers = ({ color }, pod) =>
    color === 'mauve' && pod === first ? { refuses: 'HTTP 422: mauve is no colour' } : 'acknowledges';

  await it.when.edited(configMaps, 'foo', withData({ color: 'mauve' }));
  const failed = await it.rolloutIs(
    '1.0.1 is rolled back',
    ({ phase, target }) => phase === 'Failed' && !target,
  );
  expect(conditionOf(failed, 'Ready')?.message).toContain('mauve is no colour');
  expect(failed.status?.current?.version).toBe('1.0.0');
  expect(failed.status?.history?.[0]).toMatchObject({ version: '1.0.1', result: 'RolledBack' });
  expect(await acknowledgements(story, 'refused')).toBeGreaterThan(0);
  await it.rolloutIs(
    'all pods run 1.0.0 again',
    (status) =>
      lineOf(status, 'web')?.updated === before.length && lineOf(status, 'web')?.state === 'Healthy',
  );

  await it.when.edited(configMaps, 'foo', withData({ color: 'red' }));
  await settled(it, '1.0.2', ['web']);
  expect((await story.pods('web')).map(({ metadata }) => metadata.uid).sort()).toEqual(
    before.map(({ metadata }) => metadata.uid).sort(),
  );
});
