import { configMaps, deployments, pods, replicaSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, type PodTemplate, withImage } from '@trimtab/test-bed/objects/pod-template.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { afterAll, expect, test } from 'vitest';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { mountedByPod } from '../support/mounted-versions.ts';
import { mountedConfigMap } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';
import { type App, runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

interface Pod extends KubeObject {
  spec: PodTemplate['spec'];
}

const mountingFoo = mountingConfigMap('foo', '/etc/foo');
const app: App = ({ color }) => (color === 'broken' ? { crashes: 'no such color', exitCode: 3 } : 'works');

test('a managed workload starts with its copy, and applied again after a rejected edit, no pod starts on that', async () => {
  await using it = await installedStory(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, app);
  await it.shortBake(['foo']);
  const web = deployment('web', mountingFoo, managed, runningTheApp);
  await it.when.applied(configMap('foo', { color: 'blue' }));
  await it.when.applied(web);
  const first = await settled(it, '1.0.0', ['web']);
  await it.eventuallyAll('one ReplicaSet', replicaSets, (all) => all.length === 1);
  await it.when.edited(configMaps, 'foo', withData({ color: 'broken' }));
  await it.rolloutIs('it has rolled back', ({ phase }) => phase === 'Failed');
  await it.when.kubectl('rollout', 'status', 'deployment/web');

  const good = first.status?.current?.object;
  await it.eventuallyAll<Pod>('all pods are back', pods, (all) =>
    all.every((pod) => mountedByPod(pod) === good),
  );
  await using started = await StateRecording.start<Pod>(it.client, pods, { namespace: it.namespace });
  const before = await it.object<Deployment>(deployments, 'web');
  await it.when.applied(web);
  const again = await it.object<Deployment>(deployments, 'web');
  expect(again.spec.template).toEqual(before.spec.template);

  await it.when.applied(deployment('web', mountingFoo, managed, runningTheApp, withImage('busybox:2')));
  await it.when.kubectl('rollout', 'status', 'deployment/web');
  await it.when.applied(deployment('late', mountingFoo, managed, runningTheApp));
  await it.when.kubectl('rollout', 'status', 'deployment/late');
  await it.rolloutIs('late is known', (status) => lineOf(status, 'late')?.state === 'Healthy');
  expect(new Set((await started.upToNow()).map(mountedByPod))).toEqual(new Set([good]));
});

test('a server-side apply that repeats itself changes nothing, also after an edit, and forced or not', async () => {
  await using it = await installedStory(engine);
  await it.shortBake(['foo']);
  const web = deployment('web', mountingFoo, managed);
  await it.given.objects(configMap('foo', { color: 'blue' }));
  await it.when.appliedByServer(web);
  await settled(it, '1.0.0', ['web']);
  const generation = async () => (await it.object<Deployment>(deployments, 'web')).metadata.generation;
  const before = await generation();
  await it.when.appliedByServer(web);
  expect(await generation()).toBe(before);

  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const second = await settled(it, '1.0.1', ['web']);
  const moved = await generation();
  await it.when.appliedByServer(web);
  expect(await generation()).toBe(moved);
  await it.when.appliedByServer(web, '--force-conflicts');
  expect(await generation()).toBe(moved);
  const forced = await it.object<Deployment>(deployments, 'web');
  expect(mountedConfigMap(forced)).toBe(second.status?.current?.object);

  await it.when.edited(configMaps, 'foo', withData({ color: 'yellow' }));
  await settled(it, '1.0.2', ['web']);
});

test('undo warns the person who is waiting for it: of a lost opt-in, and of content that was rolled back', async () => {
  await using it = await installedStory(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, app);
  await it.shortBake(['foo']);
  const { namespace } = it;
  const undo = (...args: string[]) =>
    kubectl(engine, ['rollout', 'undo', 'deployment/web', ...args], { namespace });
  await it.given.objects(configMap('foo', { color: 'blue' }), deployment('web', mountingFoo, runningTheApp));
  await it.when.kubectl('rollout', 'status', 'deployment/web');
  await it.when.edited<Deployment>(deployments, 'web', (web) => {
    managed(web);
    withImage('busybox:2')(web);
  });
  const first = await settled(it, '1.0.0', ['web']);

  const lost = await undo('--to-revision=1');
  expect(lost.stderr).toMatch(/^Warning: trimtab: Deployment web lost annotation trimtab\.dev\/manage/m);
  await it.when.kubectl('rollout', 'status', 'deployment/web');
  const undone = await it.object<Deployment>(deployments, 'web');
  expect(mountedConfigMap(undone)).toBe(first.status?.current?.object);

  await it.when.edited(configMaps, 'foo', withData({ color: 'broken' }));
  await it.rolloutIs('it has rolled back', ({ phase }) => phase === 'Failed');
  await it.when.kubectl('rollout', 'status', 'deployment/web');
  const good = await it.object<Deployment>(deployments, 'web');
  const revision = good.metadata.annotations?.['deployment.kubernetes.io/revision'];
  const rejected = await undo();
  expect(rejected.stderr).toMatch(
    /^Warning: trimtab: version "1\.0\.1" of ConfigMap foo was rolled back before/m,
  );
  expect(rejected.stderr).toContain(`kubectl rollout undo deployment/web --to-revision=${revision}`);
});
