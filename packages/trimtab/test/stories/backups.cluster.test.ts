import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed);
const edit = (it: ReleaseStory, data: Record<string, string>) =>
  it.when.edited(configMaps, 'foo', withData(data));

/** The object as a backup holds it: without what the API server sets, and without its status. */
function backedUp<T extends KubeObject>(object: T): T {
  const { uid: _uid, resourceVersion: _rv, creationTimestamp: _at, ...metadata } = object.metadata;
  const { status: _status, ...rest } = object as T & { status?: unknown };
  return { ...rest, metadata } as unknown as T;
}

const ownerKinds = ({ metadata }: KubeObject) => metadata.ownerReferences?.map(({ kind }) => kind) ?? [];

test('a rollout that is restored without its owners finds its versions, and no pod restarts', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  const { status: before } = await settled(it, '1.0.1', ['web']);
  const { metadata: workload } = await it.object<Deployment>(deployments, 'web');

  await it.controller.stop();
  const rollout = backedUp(await it.rollout());
  const where = { namespace: it.namespace, name: 'configmap-foo' };
  await it.client.delete(configRollouts, where, { propagationPolicy: 'Orphan' });
  await it.eventuallyGone(configRollouts, 'configmap-foo');
  await it.client.create(configRollouts, rollout);
  await it.controllerRestarts();

  const { status, metadata } = await settled(it, '1.0.1', ['web']);
  expect(status?.current?.object).toBe(before?.current?.object);
  expect((await it.object<Deployment>(deployments, 'web')).metadata.generation).toBe(workload.generation);
  for (const copy of (await it.copies()).values())
    expect(copy.metadata.labels?.[labels.versionOf]).toBe(metadata.uid);
  await edit(it, { color: 'red' });
  await settled(it, '1.0.2', ['web']);
  expect([...(await it.copies()).keys()].sort()).toEqual(['1.0.0', '1.0.1', '1.0.2']);
});

test('a rollout that a user creates again without a ledger counts on above the versions that exist', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  await settled(it, '1.0.1', ['web']);
  await it.controller.stop();
  const { apiVersion, kind, spec } = await it.rollout();
  const where = { namespace: it.namespace, name: 'configmap-foo' };
  await it.client.delete(configRollouts, where, { propagationPolicy: 'Orphan' });
  await it.eventuallyGone(configRollouts, 'configmap-foo');
  await it.client.create(configRollouts, { apiVersion, kind, metadata: where, spec } as KubeObject);
  await it.controllerRestarts();
  await settled(it, '1.0.1', ['web']);
  expect((await it.rollout()).metadata.annotations).toHaveProperty([annotations.ledger]);
  await edit(it, { color: 'red' });
  await settled(it, '1.0.2', ['web']);
});

test('versions that are restored with owners that are gone are collected, and the content is released anew', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }));
  await it.isCurrent('1.0.0');
  await edit(it, { color: 'green' });
  await it.isCurrent('1.0.1');

  await it.controller.stop();
  const [rollout, copies] = [backedUp(await it.rollout()), [...(await it.copies()).values()].map(backedUp)];
  expect(copies.map(ownerKinds)).toEqual([['ConfigRollout'], ['ConfigRollout']]);
  await it.when.deleted(configRollouts, 'configmap-foo');
  for (const { metadata } of copies) await it.eventuallyGone(configMaps, metadata.name ?? '');
  for (const copy of copies) await it.client.create(configMaps, copy);
  for (const { metadata } of copies) await it.eventuallyGone(configMaps, metadata.name ?? '');
  await it.client.create(configRollouts, rollout);
  await it.controllerRestarts();
  const { status } = await it.rolloutIs(
    'the content is current',
    ({ phase, current }) => phase === 'Current' && current !== undefined,
  );
  const object = await it.object<ConfigMap>(configMaps, status?.current?.object ?? '');
  expect(object.data).toEqual({ color: 'green' });
  expect(copies.map(({ metadata }) => metadata.name)).not.toContain(object.metadata.name);
});

test('a version survives the deletion of its rollout while it is being rolled out', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, ({ color }) =>
    color === 'blue' ? 'works' : 'starts',
  );
  await it.shortBake(['foo']);
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp),
  );
  await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  await it.rolloutIs('1.0.1 is being rolled out', ({ target }) => target?.version === '1.0.1');
  const copy = mountedConfigMap(await it.object<Deployment>(deployments, 'web')) ?? '';
  expect(ownerKinds(await it.object(configMaps, copy)), 'the workload holds it from its creation').toEqual([
    'ConfigRollout',
    'Deployment',
  ]);
  await it.controller.stop();
  await it.when.deleted(configRollouts, 'configmap-foo');
  const left = await it.eventually<ConfigMap>(
    'the garbage collector has seen that the rollout is gone',
    configMaps,
    copy,
    (each) => !ownerKinds(each).includes('ConfigRollout'),
  );
  expect(ownerKinds(left)).toEqual(['Deployment']);
  expect(left.data).toEqual({ color: 'green' });
});
