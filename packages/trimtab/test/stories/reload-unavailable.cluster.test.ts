import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations, labels } from '../../src/api/names.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountsFoo = mountingConfigMap('foo', '/etc/foo');
const wantsReload = annotated({ [annotations.restart]: 'false' });

test.each([
  ['with the controller alone', () => ReleaseStory.start(engine)],
  ['with the webhook', () => installedStory(engine)],
])('without an agent, who wants a reload is recycled, rolled back and told so, %s', async (_, start) => {
  await using it = await start();
  await using app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(
    configMap('foo'),
    deployment('web', mountsFoo, managed, wantsReload, runningTheApp),
    deployment('api', mountsFoo, managed, runningTheApp),
  );
  const { status } = await settled(it, '1.0.0', ['web', 'api']);
  const told = await it.rolloutIs(
    'a condition names it',
    ({ conditions }) => conditions?.some(({ type }) => type === 'ReloadUnavailable') ?? false,
  );
  expect(conditionOf(told, 'ReloadUnavailable')).toMatchObject({
    status: 'True',
    reason: 'NoAgent',
    message: expect.stringMatching(/^Deployment web requested a reload/),
  });
  await it.eventuallyEvent(
    'an event tells its author',
    'Deployment',
    'web',
    ({ reason, message }) => reason === 'ReloadNotAvailable' && message.includes('no agent'),
  );

  await it.when.edited(configMaps, 'foo', withData({ web: 'crash-loop' }));
  await it.rolloutIs('1.0.1 is rolled back', ({ phase, target }) => phase === 'Failed' && !target);
  const web = await it.object<Deployment>(deployments, 'web');
  expect(mountedConfigMap(web)).toBe(status?.current?.object);
  await app.becomes(() => 'works');
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.2', ['web', 'api']);

  await it.when.kubectl('annotate', 'deployment/web', `${annotations.manage}=false`, '--overwrite');
  await it.eventually<Deployment>(
    'web opted out and mounts foo itself',
    deployments,
    'web',
    (now) => mountedConfigMap(now) === 'foo' && now.metadata.labels?.[labels.assigned] === undefined,
  );
  await it.rolloutIs(
    'nobody is left who wants a reload',
    ({ conditions, workloads }) =>
      workloads?.length === 1 && !conditions?.some(({ type }) => type === 'ReloadUnavailable'),
  );
});
