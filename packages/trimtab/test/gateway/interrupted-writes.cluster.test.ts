import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigBody } from '../../src/api/config-body.ts';
import { annotations } from '../../src/api/names.ts';
import { Refusal } from '../../src/versions/refusal.ts';
import { addVersion } from '../../src/versions/writes/add-version.ts';
import { createConfig } from '../../src/versions/writes/create-config.ts';
import { deleteVersion } from '../../src/versions/writes/delete-versions.ts';
import type { WriteContext } from '../../src/versions/writes/write-context.ts';
import { type Moment, mortalClient } from '../support/mortal-client.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;
let alice: KubeClient;

beforeAll(async () => {
  scene = await VersionsScene.start();
  alice = await scene.engine.connect(scene.identityOf('alice'));
});

afterAll(() => scene?.close());

/** Acts like a killed gateway: the n-th write fails before or after it takes effect, and later calls are lost. */
function dyingAt(n: number, moment: Moment): KubeClient {
  return mortalClient(alice, (write) => (write === n ? moment : undefined));
}

function writing(client: KubeClient): WriteContext {
  return { client, by: scene.usernameOf('alice'), fieldManager: 'test' };
}

const moments = (count: number) =>
  Array.from({ length: count }, (_, index) => index + 1).flatMap((n) => [
    [n, 'before' as Moment] as const,
    [n, 'after' as Moment] as const,
  ]);

function address(name: string) {
  return { kind: 'ConfigMap', namespace: scene.namespace, name } as const;
}

/** Makes the interrupted call, then the same call without a failure. A 409 is correct when nothing was left to do. */
async function twice(
  n: number,
  moment: Moment,
  call: (writing: WriteContext) => Promise<unknown>,
): Promise<void> {
  await expect(call(writing(dyingAt(n, moment)))).rejects.toBeInstanceOf(NetworkError);
  await call(writing(alice)).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.body.code !== 409) throw error;
  });
}

async function versionsOf(name: string): Promise<unknown[]> {
  const { json } = await scene.ours('alice', `configmaps/${name}/versions`);
  return json.items.map((each: { metadata: { name: string }; state: string }) => [
    each.metadata.name,
    each.state,
  ]);
}

test.each(moments(3))(
  'a creation that dies at write %i, %s it, is finished by the same call',
  async (n, moment) => {
    const name = `create-${n}-${moment}`;
    const body: ConfigBody = { metadata: { name }, data: { color: 'blue' } };
    await twice(n, moment, (by) => createConfig(by, address(name), body, 'first', false));
    expect(await versionsOf(name)).toEqual([['first', 'current']]);
    const live = await scene.client.get(configMaps, { namespace: scene.namespace, name });
    expect(live).toMatchObject({
      metadata: { annotations: { [annotations.version]: 'first' } },
      data: body.data,
    });
    const added = await scene.as('alice', 'POST', `configmaps/${name}`, { data: { color: 'red' } });
    expect(added.json.metadata.version).toBe('1.0.0');
  },
);

test.each(moments(3))(
  'an addition to an unmanaged config that dies at write %i, %s it, is finished by the same call',
  async (n, moment) => {
    const name = `add-${n}-${moment}`;
    const config = configMap(name, { color: 'blue' });
    config.metadata.namespace = scene.namespace;
    await scene.client.create(configMaps, config);
    const body: ConfigBody = { metadata: {}, data: { color: 'red' } };
    await twice(n, moment, (by) => addVersion(by, address(name), body, 'second', false));
    expect(await versionsOf(name)).toEqual([
      ['1.0.0', 'current'],
      ['second', 'not-current'],
    ]);
  },
);

test('an addition without a name that dies before its write leaves no gap in the names', async () => {
  const name = 'unnamed';
  await scene.as('alice', 'POST', 'configmaps/1.0.0', { metadata: { name }, data: { color: 'blue' } });
  const body: ConfigBody = { metadata: {}, data: { color: 'red' } };
  await twice(1, 'before', (by) => addVersion(by, address(name), body, undefined, false));
  expect(await versionsOf(name)).toEqual([
    ['1.0.0', 'current'],
    ['1.0.1', 'not-current'],
  ]);
});

test.each(moments(2))(
  'a deletion that dies at write %i, %s it, is finished by the same call, and the name stays used',
  async (n, moment) => {
    const name = `delete-${n}-${moment}`;
    await scene.as('alice', 'POST', 'configmaps/1.0.0', { metadata: { name }, data: { color: 'blue' } });
    await scene.as('alice', 'POST', `configmaps/${name}/gone`, { data: { color: 'red' } });
    const remove = (client: KubeClient) =>
      deleteVersion(writing(client), address(name), 'gone', { dryRun: false, preconditions: {} });
    await expect(remove(dyingAt(n, moment))).rejects.toBeInstanceOf(NetworkError);
    await remove(alice).catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.body.code !== 404) throw error;
    });
    expect(await versionsOf(name)).toEqual([['1.0.0', 'current']]);
    const again = await scene.as('alice', 'POST', `configmaps/${name}/gone`, { data: { color: 'red' } });
    expect(again.status).toBe(409);
  },
);
