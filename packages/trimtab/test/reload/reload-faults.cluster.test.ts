import { configMaps, deployments, pods } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import type { RolloutStrategy } from '../../src/api/config-rollout.ts';
import { type ReloadReport, reloadReports } from '../../src/api/reload-report.ts';
import { conditionOf, lineOf, settled } from '../support/settled.ts';
import { ReloadStory } from './support/reload-story.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const reloadedWeb = (strategy: Partial<RolloutStrategy> = {}) =>
  ReloadStory.startWeb(engine, strategy, withReplicas(2));

test('a Ready pod that does not answer while others do fails the version', async () => {
  await using story = await reloadedWeb({ ackTimeoutSeconds: 1 });
  const { it, agents } = story;
  const [silent] = (await story.pods('web')).map(({ metadata }) => metadata.name).sort();
  agents.answers = ({ color }, pod) => (color === 'mauve' && pod === silent ? 'is silent' : 'acknowledges');
  await it.when.edited(configMaps, 'foo', withData({ color: 'mauve' }));
  const failed = await it.rolloutIs(
    '1.0.1 is rolled back',
    ({ phase, target }) => phase === 'Failed' && !target,
  );
  expect(conditionOf(failed, 'Ready')?.message).toContain(`pod ${silent}: NotAcknowledged`);
});

test('while the gateway is away nothing is rejected, and the version arrives when it is back', async () => {
  await using story = await reloadedWeb({ ackTimeoutSeconds: 1 });
  const { it } = story;
  await story.gateway.close(0);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const waiting = await it.rolloutIs(
    'the status says what is missing',
    (status) => lineOf(status, 'web')?.state === 'Inconclusive',
  );
  expect(lineOf(waiting.status, 'web')?.message).toContain('NotAcknowledged');
  await story.gatewayRestarts();
  await settled(it, '1.0.1', ['web']);
});

test('a pod that is born while the gateway is away does not speak for the others', async () => {
  await using story = await reloadedWeb({ ackTimeoutSeconds: 1 });
  const { it } = story;
  await story.gateway.close(0);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await it.rolloutIs('1.0.1 is being rolled out', ({ target }) => target?.version === '1.0.1');
  const [pod] = await story.pods('web');
  await it.when.deleted(pods, pod?.metadata.name ?? '');
  await it.eventually<Deployment>('its successor is Ready', deployments, 'web', ({ status }) => {
    return status?.readyReplicas === 2;
  });
  const waiting = await it.rolloutIs(
    'nothing is blamed',
    (status) => lineOf(status, 'web')?.state === 'Inconclusive',
  );
  expect(waiting.status?.target?.version).toBe('1.0.1');
  await story.gatewayRestarts();
  await settled(it, '1.0.1', ['web']);
});

test('after a restart of the gateway, its reports replace those of the old process', async () => {
  await using story = await reloadedWeb();
  const { it } = story;
  const reports = async () => {
    const { items } = await it.client.list<ReloadReport>(reloadReports, { namespace: it.namespace });
    return items;
  };
  await waitFor('the pods are reported', async () => {
    const items = await reports();
    return items[0]?.spec.pods.length === 2 ? { met: true } : { seen: JSON.stringify(items) };
  });
  const [before] = await reports();
  await story.gatewayRestarts();
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  await waitFor(
    'the old report is deleted',
    async () => {
      const items = await reports();
      const isOld = items.some(({ metadata }) => metadata.uid === before?.metadata.uid);
      return isOld ? { seen: `${items.length} reports` } : { met: true };
    },
    { timeoutMs: 30_000 },
  );
  await settled(it, '1.0.1', ['web']);
});

test('a controller that starts in mid-activation goes on with it', async () => {
  await using story = await reloadedWeb();
  const { it, agents } = story;
  agents.answers = ({ color }) => (color === 'green' ? 'is silent' : 'acknowledges');
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await it.rolloutIs('1.0.1 is being rolled out', ({ target }) => target?.version === '1.0.1');
  await waitFor('the agents were told', async () => {
    // A change of the version's state is sent, too.
    const told = new Set(agents.given.filter((line) => line.endsWith(' 1.0.1')));
    return told.size === 2 ? { met: true } : { seen: agents.given.join('; ') };
  });
  await it.controllerRestarts();
  agents.answers = () => 'acknowledges';
  await story.gatewayRestarts();
  await settled(it, '1.0.1', ['web']);
});

test('pods that are born later start with the assigned version and need no second reload', async () => {
  await using story = await reloadedWeb();
  const { it } = story;
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  await it.when.scaled(deployments, 'web', 3);
  await it.eventually<Deployment>('three pods are Ready', deployments, 'web', ({ status }) => {
    return status?.readyReplicas === 3;
  });
  const { status } = await it.rolloutIs(
    'all of them run 1.0.1',
    (now) => lineOf(now, 'web')?.updated === 3 && lineOf(now, 'web')?.state === 'Healthy',
  );
  expect(status?.history?.length).toBe(1);
});
