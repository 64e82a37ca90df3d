import type { ObjectKey } from '@trimtab/kube/client.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
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

interface Line {
  metadata: { name: string };
  state: string;
}

async function listed(name: string): Promise<[string, string][]> {
  const { json } = await scene.ours('alice', `configmaps/${name}/versions`);
  return json.items.map(({ metadata, state }: Line) => [metadata.name, state]);
}

/** Waits until the controller has reconciled the config and set its current version. */
async function settled(name: string): Promise<ConfigRollout> {
  const where = { namespace: scene.namespace, name: `configmap-${name}` };
  return waitFor(`${name} has a current version`, async () => {
    const rollout = await scene.client.get<ConfigRollout>(configRollouts, where);
    return rollout.status?.current ? { met: rollout } : { seen: JSON.stringify(rollout.status ?? {}) };
  });
}

test('the controller makes the first version current, and adds nothing of its own', async () => {
  await scene.as('alice', 'POST', 'configmaps/spring', {
    metadata: { name: 'born' },
    data: { color: 'blue' },
  });
  const { status } = await settled('born');
  expect(status?.current?.version).toBe('spring');
  await scene.as('alice', 'POST', 'configmaps/born/summer', { data: { color: 'red' } });
  await scene.as('alice', 'POST', 'configmaps/born', { data: { color: 'green' } });
  expect(await listed('born')).toEqual([
    ['spring', 'current'],
    ['summer', 'not-current'],
    ['1.0.0', 'not-current'],
  ]);
  const locked = await scene.engine.connect(scene.identityOf('alice'));
  const where = { namespace: scene.namespace, name: 'born' };
  const edit = locked.patch(configMaps, where, { type: 'merge', body: { data: { color: 'black' } } });
  await expect(edit).rejects.toThrow('is locked');
});

test('a locked config can be edited again when its release mode is changed, or its rollout is deleted', async () => {
  const alice = await scene.engine.connect(scene.identityOf('alice'));
  const edited = (name: string, color: string) =>
    waitFor(`${name} can be edited`, async () => {
      // The annotation names the first version, and other content needs another name.
      const metadata = { annotations: { [annotations.version]: null } };
      const patch = { type: 'merge', body: { metadata, data: { color } } } as const;
      const refusal = await alice
        .patch(configMaps, { namespace: scene.namespace, name }, patch)
        .then(() => undefined, String);
      return refusal === undefined ? { met: true } : { seen: refusal };
    });
  for (const name of ['opened', 'left']) {
    await scene.as('alice', 'POST', 'configmaps/first', { metadata: { name }, data: { color: 'blue' } });
    await settled(name);
  }
  const [opened, left] = ['opened', 'left'].map((name) => ({
    namespace: scene.namespace,
    name: `configmap-${name}`,
  })) as [ObjectKey, ObjectKey];
  const auto = { type: 'merge', body: { spec: { release: 'Auto' } } } as const;
  await scene.client.patch(configRollouts, opened, auto);
  await edited('opened', 'red');
  await waitFor('the edit is released', async () => {
    const list = JSON.stringify(await listed('opened'));
    return list.includes('["1.0.0","current"]') ? { met: true } : { seen: list };
  });
  await scene.client.delete(configRollouts, left);
  await edited('left', 'red');
});

test('gateway and controller baseline the same configs at once: each has one 1.0.0, which is current', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `wild-${index}`);
  for (const name of names) {
    const config = configMap(name, { color: 'blue' });
    config.metadata.namespace = scene.namespace;
    await scene.client.create(configMaps, config);
  }
  const answers = await Promise.all(
    names.map((name) => scene.as('alice', 'POST', `configmaps/${name}`, { data: { color: 'red' } })),
  );
  for (const name of names) {
    const { status } = await settled(name);
    expect(status?.current?.version).toBe('1.0.0');
    expect(await listed(name)).toEqual([
      ['1.0.0', 'current'],
      ['1.0.1', 'not-current'],
    ]);
  }
  expect(answers.map(({ json }) => json.metadata.version)).toEqual(names.map(() => '1.0.1'));
});

test('an edit of a config that was baselined so is released as ever, and names go on from there', async () => {
  const config = configMap('edited', { color: 'blue' });
  config.metadata.namespace = scene.namespace;
  await scene.client.create(configMaps, config);
  await scene.as('alice', 'POST', 'configmaps/edited', { data: { color: 'red' } });
  await settled('edited');
  const where = { namespace: scene.namespace, name: 'edited' };
  await scene.client.patch(configMaps, where, { type: 'merge', body: { data: { color: 'green' } } });
  await waitFor('the edit is current', async () => {
    const list = await listed('edited');
    const [, state] = list.find(([name]) => name === '1.0.2') ?? [];
    return state === 'current' ? { met: true } : { seen: JSON.stringify(list) };
  });
  expect((await scene.as('alice', 'POST', 'configmaps/edited', {})).json.metadata.version).toBe('1.0.3');
});

test('what a config holds stays a version: deleted, it would come again under another name', async () => {
  const config = configMap('held', { color: 'blue' });
  config.metadata.namespace = scene.namespace;
  await scene.client.create(configMaps, config);
  await scene.as('alice', 'POST', 'configmaps/held/red', { data: { color: 'red' } });
  await settled('held');
  await scene.as('alice', 'PUT', 'configmaps/held/current?wait=60s', { version: 'red' });
  expect(await listed('held')).toEqual([
    ['1.0.0', 'not-current'],
    ['red', 'current'],
  ]);

  const { status, json } = await scene.as('alice', 'DELETE', 'configmaps/held/1.0.0');
  expect(json.message).toBe(
    'version "1.0.0" of configmaps "held" cannot be deleted: the version has the content of the config and would be created again under another name; edit the config first',
  );
  expect(status).toBe(409);
  const all = await scene.as('alice', 'DELETE', 'configmaps/held/');
  expect(all.json).toMatchObject({
    deleted: [],
    kept: [
      { version: '1.0.0', reason: 'Live' },
      { version: 'red', reason: 'Current' },
    ],
  });

  const where = { namespace: scene.namespace, name: 'held' };
  await scene.client.patch(configMaps, where, { type: 'merge', body: { data: { color: 'green' } } });
  await waitFor('the edit is current', async () => {
    const versions = JSON.stringify(await listed('held'));
    return versions.includes('["1.0.1","current"]') ? { met: true } : { seen: versions };
  });
  expect((await scene.as('alice', 'DELETE', 'configmaps/held/')).json.deleted).toMatchObject([
    { version: '1.0.0' },
    { version: 'red' },
  ]);
  expect(await listed('held')).toEqual([['1.0.1', 'current']]);
});
