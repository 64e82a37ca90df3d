import { deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, withImage } from '@trimtab/test-bed/objects/pod-template.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { managedWorkloads } from '../../src/core/workload/managed-workloads.ts';
import { BehindProxy } from '../support/behind-proxy.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { mountedConfigMap } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const web = (stamp: string) => {
  const it = deployment(
    'web',
    mountingConfigMap('foo', '/etc/foo'),
    managed,
    runningTheApp,
    withImage('busybox'),
  );
  it.spec.template.metadata.annotations = { 'checksum/config': stamp };
  return it;
};

test('a bad config that a workload joined is rolled back when the controller learns of its version late', async () => {
  await using behind = await BehindProxy.start(engine);
  await using release = await installedStory(behind.engine, ['--coalesce', '1s']);
  await using _ = await SimulatedApp.start(release.client, release.namespace, obedientApp);
  await release.shortBake(['foo']);
  await release.when.applied(configMap('foo', { color: 'blue' }), web('one'));
  const { status: before } = await settled(release, '1.0.0', ['web']);
  await using rollouts = await StateRecording.start<ConfigRollout>(release.client, configRollouts, {
    namespace: release.namespace,
  });

  behind.delayEvents({ resource: 'configmaps', namespace: release.namespace, event: 'ADDED' }, 3_000);
  await release.when.applied(configMap('foo', { pods: 'crash-loop' }), web('two'));
  const joined = await release.object<Deployment>(deployments, 'web');
  expect(mountedConfigMap(joined)).not.toBe(before?.current?.object);
  await release.when.applied(web('three'));
  const again = await release.object<Deployment>(deployments, 'web');
  expect(mountedConfigMap(again), 'another apply keeps the version').toBe(mountedConfigMap(joined));
  await isRolledBack(release, '1.0.1');
  await podsRun(release, 'web', before?.current?.object);

  const ofFoo = (await rollouts.upToNow()).filter(({ metadata }) => metadata.name === 'configmap-foo');
  const managing = ofFoo.map(managedWorkloads);
  expect(managing.filter((workloads) => !workloads.includes('Deployment/web'))).toEqual([]);
});
