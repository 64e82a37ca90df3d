import { configMaps, deployments, replicaSets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations, labels } from '../../src/api/names.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { mountedBy, podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountsFoo = mountingConfigMap('foo', '/etc/foo');
const edit = (it: ReleaseStory, data: Record<string, string>) =>
  it.when.edited(configMaps, 'foo', withData(data));
const isTold = (it: ReleaseStory) =>
  it.rolloutIs('the missing agent is told', (status) => {
    const told = conditionOf({ status }, 'ReloadUnavailable');
    return told?.status === 'True' && told.reason === 'NoAgent' && told.message.includes('web');
  });

test('restart: "false" on a running workload without an agent freezes it neither on its version nor as managed', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, managed, runningTheApp),
  );
  await settled(it, '1.0.0', ['web']);
  await it.when.kubectl('annotate', 'deployment/web', `${annotations.restart}=false`);

  await edit(it, { color: 'green' });
  const { status } = await settled(it, '1.0.1', ['web']);
  await podsRun(it, 'web', status?.current?.object);
  await isTold(it);
  await edit(it, { pods: 'crash-loop' });
  await isRolledBack(it, '1.0.2');
  await podsRun(it, 'web', status?.current?.object);

  await it.when.kubectl('annotate', 'deployment/web', `${annotations.manage}=false`, '--overwrite');
  await it.eventuallyEvent(
    'it waits, because foo holds what was rolled back',
    'Deployment',
    'web',
    ({ reason }) => reason === 'OptOutWaits',
  );
  await edit(it, { color: 'red' });
  await it.eventually<Deployment>(
    'web mounts foo itself',
    deployments,
    'web',
    (now) => mountedConfigMap(now) === 'foo' && now.metadata.labels?.[labels.assigned] === undefined,
  );
  await podsRun(it, 'web', 'foo');
});

test('with the webhook, a new workload with restart: "false" starts with its copy', async () => {
  await using it = await installedStory(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }));
  await it.isCurrent('1.0.0');
  const web = deployment('web', mountsFoo, managed, annotated({ [annotations.restart]: 'false' }));
  await it.when.applied(web);
  const { status } = await settled(it, '1.0.0', ['web']);
  expect(await mountedBy(it, 'web')).toBe(status?.current?.object);
  await it.eventuallyAll('one ReplicaSet', replicaSets, (all) => all.length === 1, 'app=web');
  await isTold(it);
});
