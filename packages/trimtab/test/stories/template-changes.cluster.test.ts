import { createHash } from 'node:crypto';
import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { mountedBy, podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp);

/** Later failures are compared with the template that is written down when the workload is healthy. */
const healthyTemplateIsRecorded = (release: ReleaseStory) =>
  release.eventually(
    'the template that works is written down',
    deployments,
    'web',
    ({ metadata }) => metadata.annotations?.[annotations.assignment]?.includes('"healthyTemplate"') === true,
  );

test('a checksum of the config in the template, as Helm charts have it, keeps no bad config from being rolled back', async () => {
  await using release = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  const chart = (data: Record<string, string>) => {
    const checksum = createHash('sha256').update(JSON.stringify(data)).digest('hex');
    const workload = web();
    annotated({ 'checksum/config': checksum })(workload.spec.template);
    return [configMap('foo', data), workload];
  };
  await release.when.applied(...chart({ color: 'blue' }));
  const { status: before } = await settled(release, '1.0.0', ['web']);
  await healthyTemplateIsRecorded(release);

  await release.when.applied(...chart({ pods: 'crash-loop' }));
  const failed = await isRolledBack(release, '1.0.1');
  expect(failed.status?.current).toEqual(before?.current);
  await podsRun(release, 'web', before?.current?.object);

  await release.when.applied(...chart({ color: 'green' }));
  await settled(release, '1.0.2', ['web']);
});

test('a restart right after a bad edit keeps it from nothing: it is rolled back', async () => {
  await using release = await ReleaseStory.start(engine);
  await using simulated = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.given.objects(configMap('foo', { color: 'blue' }), web());
  const { status: before } = await settled(release, '1.0.0', ['web']);
  await healthyTemplateIsRecorded(release);

  await release.when.edited(configMaps, 'foo', withData({ pods: 'starts' }));
  const first = await release.rolloutIs(
    '1.0.1 is on its way',
    (status) => status.target !== undefined && lineOf(status, 'web')?.updated === 1,
  );
  await release.when.kubectl('rollout', 'restart', 'deployment/web');
  await release.eventually<Deployment>(
    'the pod of the restart is there',
    deployments,
    'web',
    ({ metadata, status }) =>
      status?.observedGeneration === metadata.generation && status?.updatedReplicas === 1,
  );
  expect(await mountedBy(release, 'web')).toBe(first.status?.target?.object);
  await simulated.becomes(({ pods }) => (pods === 'starts' ? 'crash-loop' : 'works'));
  const failed = await isRolledBack(release, '1.0.1');
  expect(failed.status?.current).toEqual(before?.current);
  await podsRun(release, 'web', before?.current?.object);
});
