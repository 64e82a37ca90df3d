import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigBody } from '../../src/api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import type { RunningController } from '../support/running-controller.ts';
import { controllerOf } from './support/controller-of.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;
let controller: RunningController;

beforeAll(async () => {
  scene = await VersionsScene.start();
  controller = await controllerOf(scene);
});

afterAll(async () => {
  await controller?.stop();
  await scene?.close();
});

type Kind = 'configmaps' | 'secrets';

const resources = { configmaps: configMaps, secrets };
const contentOf = ({ data, binaryData, type }: ConfigBody) => ({ data, binaryData, type });
const base64 = (text: string) => Buffer.from(text).toString('base64');

const liveOf = (kind: Kind, name: string) =>
  scene.client.get<ConfigBody>(resources[kind], { namespace: scene.namespace, name });

/** Activates a version, and waits until the plain way and the gateway's way answer with its content. */
async function activate(kind: Kind, name: string, version: string): Promise<ConfigBody> {
  const put = await scene.as('alice', 'PUT', `${kind}/${name}/current?wait=60s`, { version });
  expect(put.status, put.text).toBe(200);
  const current = await scene.as('alice', 'GET', `${kind}/${name}/current`);
  expect(current.json.metadata.version).toBe(version);
  return waitFor(`${name} follows version ${version}`, async () => {
    const live = await liveOf(kind, name);
    const isSame = JSON.stringify(contentOf(live)) === JSON.stringify(contentOf(current.json));
    return isSame ? { met: live } : { seen: JSON.stringify(live.metadata.annotations) };
  });
}

const rolloutOf = (name: string, kind: 'configmap' | 'secret' = 'configmap') =>
  scene.client.get<ConfigRollout>(configRollouts, { namespace: scene.namespace, name: `${kind}-${name}` });

const settled = (name: string, condition: (rollout: ConfigRollout) => boolean) =>
  waitFor(`the rollout of ${name}`, async () => {
    const rollout = await rolloutOf(name);
    return condition(rollout) ? { met: rollout } : { seen: JSON.stringify(rollout.status) };
  });

const versionsOf = async (name: string): Promise<string[]> => {
  const { json } = await scene.ours('alice', `configmaps/${name}/versions`);
  return json.items.map(({ metadata }: KubeObject) => metadata.name);
};

const patched = (name: string, body: object) =>
  scene.client.patch(configMaps, { namespace: scene.namespace, name }, { type: 'merge', body });

const locked = (name: string) =>
  scene.client.patch(
    configRollouts,
    { namespace: scene.namespace, name: `configmap-${name}` },
    { type: 'merge', body: { spec: { release: 'Locked' } } },
  );

test('a config that was created with a version follows what is current, in both directions', async () => {
  const metadata = { name: 'born', labels: { team: 'shop' }, annotations: { note: 'mine' } };
  const sent = { metadata, data: { color: 'blue', size: '1' }, binaryData: { icon: base64('i') } };
  await scene.as('alice', 'POST', 'configmaps/spring', sent);
  await settled('born', ({ status }) => status?.current?.version === 'spring');
  await scene.as('alice', 'POST', 'configmaps/born/summer', { data: { color: 'red', shape: 'round' } });

  const summer = await activate('configmaps', 'born', 'summer');
  expect(summer.data).toEqual({ color: 'red', shape: 'round' });
  expect(summer.binaryData).toBeUndefined();
  expect(summer.metadata).toMatchObject({
    labels: { team: 'shop', [labels.locked]: 'true' },
    annotations: { note: 'mine', [annotations.version]: 'summer' },
  });

  const spring = await activate('configmaps', 'born', 'spring');
  expect(spring).toMatchObject({ data: sent.data, binaryData: sent.binaryData });
  // The updates are no edits: no version was created, and nothing else was activated.
  const { status } = await settled('born', (rollout) => {
    return rollout.status?.observed?.liveResourceVersion === spring.metadata.resourceVersion;
  });
  expect(await versionsOf('born')).toEqual(['spring', 'summer']);
  expect(status?.history?.map(({ version }) => version)).toEqual(['spring', 'summer']);
  expect(status).toMatchObject({ phase: 'Current', current: { version: 'spring' } });
});

test('a Secret follows with its type, and the policy still denies edits by others', async () => {
  const sent = { metadata: { name: 'pass' }, type: 'example.com/pass', stringData: { word: 'open' } };
  await scene.as('alice', 'POST', 'secrets/1', sent);
  await scene.as('alice', 'POST', 'secrets/pass/2', { type: sent.type, stringData: { word: 'sesame' } });
  const live = await activate('secrets', 'pass', '2');
  expect(live).toMatchObject({ type: sent.type, data: { word: base64('sesame') } });
  const alice = await scene.engine.connect(scene.identityOf('alice'));
  const where = { namespace: scene.namespace, name: 'pass' };
  const edit = alice.patch(secrets, where, { type: 'merge', body: { data: { word: base64('mine') } } });
  await expect(edit).rejects.toThrow('is locked');
});

test('immutable: true in the body is left out of the live config, which could not follow otherwise', async () => {
  const sent = { metadata: { name: 'fixed' }, data: { color: 'blue' }, immutable: true };
  expect((await scene.as('alice', 'POST', 'configmaps/1', sent)).status).toBe(201);
  expect((await liveOf('configmaps', 'fixed')).immutable).toBeUndefined();
  await scene.as('alice', 'POST', 'configmaps/fixed/2', { data: { color: 'red' }, immutable: true });
  expect((await activate('configmaps', 'fixed', '2')).data).toEqual({ color: 'red' });
});

test.each([
  ['ConfigMap', 'configmaps', 'firm', { data: { color: 'blue' } }],
  ['Secret', 'secrets', 'firm', { stringData: { color: 'blue' } }],
] as const)(
  'nobody makes a locked %s immutable, which would end that it follows',
  async (_, kind, name, content) => {
    const created = await scene.as('alice', 'POST', `${kind}/1`, { metadata: { name }, ...content });
    expect(created.status, created.text).toBe(201);
    const alice = await scene.engine.connect(scene.identityOf('alice'));
    const where = { namespace: scene.namespace, name };
    const edit = alice.patch(resources[kind], where, { type: 'merge', body: { immutable: true } });
    await expect(edit).rejects.toThrow('must stay without immutable');
    expect((await liveOf(kind, name)).immutable).toBeUndefined();
  },
);

test('what a config holds when it is locked becomes a version before the config follows', async () => {
  const config = configMap('late', { color: 'blue' }, annotated({ [annotations.release]: 'manual' }));
  config.metadata.namespace = scene.namespace;
  await scene.client.create(configMaps, config);
  await scene.as('alice', 'POST', 'configmaps/late/red', { data: { color: 'red' } });
  await settled('late', ({ status }) => status?.current !== undefined);
  // Both at once: the edit is not a version yet when the mode changes.
  await Promise.all([patched('late', { data: { color: 'green' } }), locked('late')]);
  await waitFor('late follows its current version', async () => {
    const { data } = await liveOf('configmaps', 'late');
    return data?.['color'] === 'blue' ? { met: true } : { seen: JSON.stringify(data) };
  });
  const names = await versionsOf('late');
  const bodies = await Promise.all(names.map((name) => scene.as('alice', 'GET', `configmaps/late/${name}`)));
  expect(bodies.map(({ json }) => json.data.color)).toEqual(['blue', 'red', 'green']);
});

test('a config that cannot follow says why, and follows when the obstacle is gone', async () => {
  const metadata = { name: 'stuck', annotations: { [annotations.release]: 'manual' } };
  const sent = { metadata, data: { color: 'blue' }, immutable: true };
  await scene.as('alice', 'POST', 'configmaps/1', sent);
  await settled('stuck', ({ status }) => status?.current !== undefined);
  await locked('stuck');
  await scene.as('alice', 'POST', 'configmaps/stuck/2', { data: { color: 'red' } });
  const put = await scene.as('alice', 'PUT', 'configmaps/stuck/current?wait=60s', { version: '2' });
  expect(put.status, put.text).toBe(200);
  const outdated = ({ status }: ConfigRollout) =>
    status?.conditions?.find(({ type }) => type === 'ConfigOutdated');
  const stuck = await settled('stuck', (rollout) => outdated(rollout) !== undefined);
  expect(outdated(stuck)).toMatchObject({
    reason: 'ConfigImmutable',
    message:
      'ConfigMap stuck does not hold version 2, which is current, because it has immutable: true. Delete ConfigMap stuck and create it again without immutable',
  });
  expect((await liveOf('configmaps', 'stuck')).data).toEqual({ color: 'blue' });

  await scene.client.delete(configMaps, { namespace: scene.namespace, name: 'stuck' });
  const again = configMap('stuck', { color: 'other' });
  again.metadata.namespace = scene.namespace;
  await scene.client.create(configMaps, again);
  await waitFor('stuck follows its current version', async () => {
    const { data } = await liveOf('configmaps', 'stuck');
    return data?.['color'] === 'red' ? { met: true } : { seen: JSON.stringify(data) };
  });
  await settled('stuck', (rollout) => outdated(rollout) === undefined);
  // What was created in its place is not lost.
  const names = await versionsOf('stuck');
  expect(names).toEqual(['1', '2', '1.0.0']);
  const other = await scene.as('alice', 'GET', 'configmaps/stuck/1.0.0');
  expect(other.json.data).toEqual({ color: 'other' });
});

test('a config that is unlocked holds what is current: nothing moves, and its next edit gets the next name', async () => {
  await scene.as('alice', 'POST', 'configmaps/1', { metadata: { name: 'free' }, data: { color: 'blue' } });
  await scene.as('alice', 'POST', 'configmaps/free/2', { data: { color: 'red' } });
  await activate('configmaps', 'free', '2');
  const before = await rolloutOf('free');
  await scene.client.patch(
    configRollouts,
    { namespace: scene.namespace, name: 'configmap-free' },
    { type: 'merge', body: { spec: { release: 'Auto', version: null } } },
  );
  const live = await waitFor('free is unlocked', async () => {
    const { metadata } = await liveOf('configmaps', 'free');
    return metadata.labels?.[labels.locked] === undefined
      ? { met: metadata }
      : { seen: JSON.stringify(metadata.labels) };
  });
  expect(live.annotations?.[annotations.version]).toBeUndefined();
  const unlocked = await settled(
    'free',
    ({ status }) => status?.observed?.liveResourceVersion === live.resourceVersion,
  );
  expect(unlocked.status?.current).toEqual(before.status?.current);
  expect(unlocked.status?.history).toEqual(before.status?.history);
  await patched('free', { data: { color: 'green' } });
  await settled('free', ({ status }) => status?.current?.version === '1.0.0');
});
