import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { lineOf, settled } from '../support/settled.ts';
import { runTrimtab } from './support/run-trimtab.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountsFoo = mountingConfigMap('foo', '/etc/foo');

test('a pinned Deployment keeps its version while the others are updated, and follows again after unpin', async () => {
  await using it = await ReleaseStory.start(engine);
  const trimtab = (...args: string[]) => runTrimtab(engine, args, { namespace: it.namespace });
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountsFoo, managed),
    deployment('api', mountsFoo, managed),
  );
  const first = await settled(it, '1.0.0', ['web', 'api']);
  const before = await it.object<Deployment>(deployments, 'web');

  const pinned = await trimtab('pin', 'deployment/web');
  expect(pinned.stdout).toBe('deployment "web" pinned to configmap/foo 1.0.0\n');
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  const second = await settled(it, '1.0.1', ['api']);
  const web = await it.object<Deployment>(deployments, 'web');
  expect(mountedConfigMap(web)).toBe(first.status?.current?.object);
  expect(web.metadata.generation).toBe(before.metadata.generation);
  expect(lineOf(second.status, 'web')?.state).toBe('Pinned');

  // A manifest that is applied again names foo: the workload gets the pinned version, not the current one.
  await it.when.applied(deployment('web', mountsFoo, managed, keepingPin(web)));
  await it.eventually<Deployment>(
    'web has its pinned version again',
    deployments,
    'web',
    (now) => mountedConfigMap(now) === first.status?.current?.object,
  );

  expect((await trimtab('unpin', 'deployment/web')).stdout).toBe('deployment "web" unpinned\n');
  await settled(it, '1.0.1', ['web', 'api']);
  expect(mountedConfigMap(await it.object<Deployment>(deployments, 'web'))).toBe(
    second.status?.current?.object,
  );
});

test('a version to which a workload is pinned is not deleted', async () => {
  await using it = await ReleaseStory.start(engine);
  const trimtab = (...args: string[]) => runTrimtab(engine, args, { namespace: it.namespace });
  await it.shortBake(['foo'], { bakeSeconds: 0 });
  await it.given.objects(configMap('foo', { color: '0' }), deployment('web', mountsFoo, managed));
  const first = await settled(it, '1.0.0', ['web']);
  await it.client.patch(
    {
      group: 'trimtab.dev',
      version: 'v1alpha1',
      kind: 'ConfigRollout',
      plural: 'configrollouts',
      namespaced: true,
    },
    { namespace: it.namespace, name: 'configmap-foo' },
    { type: 'merge', body: { spec: { historyLimit: 0 } } },
  );
  await trimtab('pin', 'deployment/web');
  for (const color of ['1', '2']) {
    await it.when.edited(configMaps, 'foo', withData({ color }));
    await it.isCurrent(`1.0.${color}`);
  }
  expect([...(await it.copies()).keys()]).toContain('1.0.0');
  expect(mountedConfigMap(await it.object<Deployment>(deployments, 'web'))).toBe(
    first.status?.current?.object,
  );
});

function keepingPin({ metadata }: Deployment) {
  const pin = metadata.annotations?.[annotations.pin] ?? '';
  return (workload: Deployment) => {
    workload.metadata.annotations = { ...workload.metadata.annotations, [annotations.pin]: pin };
  };
}
