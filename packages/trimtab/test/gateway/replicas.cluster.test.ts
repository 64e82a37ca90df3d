import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CurrentScene } from './support/current-scene.ts';
import { GatewayScene } from './support/gateway-scene.ts';
import { WatchReader } from './support/watch-reader.ts';

let engine: Engine;
let scene: CurrentScene;
/** A second replica, which has served nothing yet. */
let other: GatewayScene;

beforeAll(async () => {
  engine = await currentEngine();
  scene = await CurrentScene.start(engine);
  const { namespace } = scene;
  other = await GatewayScene.start(engine, undefined, {
    access: await engine.access({ serviceAccount: 'gateway', namespace }),
    current: { namespaces: [namespace] },
  });
});

afterAll(async () => {
  await other?.close();
  await scene?.[Symbol.asyncDispose]();
  await engine?.close();
});

const watching = '/current?watch=true';
const on = (gateway: GatewayScene, token: string, rest: string) =>
  WatchReader.open(`${gateway.url}${scene.path({ config: 'foo', rest })}`, token);

test('replicas answer alike, and what one has done the other one knows', async () => {
  await scene.versions('read', { color: 'blue' }, { color: 'green' });
  const read = async (gateway: GatewayScene, rest: string) => {
    const path = scene.path({ config: 'read', rest });
    const { status, json, headers } = await gateway.callWith(scene.token('bob'), { path });
    return { status, json, etag: headers.get('etag') };
  };
  const done = await scene.activate('alice', 'read', '1.0.1', '?wait=30s');
  expect(done.status).toBe(200);
  for (const rest of ['/current', '/1.0.0', '/1.0.1', '/', '/9.9.9']) {
    const [one, two] = [await read(scene.gateway, rest), await read(other, rest)];
    expect(two).toEqual(one);
  }
  const { json } = await read(other, '/current');
  expect(json.data).toEqual({ color: 'green' });
});

test('a person and a pod resume their watches at another replica, and are told nothing twice', async () => {
  await scene.versions('foo', { color: 'blue' }, { color: 'green' });
  const { token: pod } = await scene.pod('web', { configMaps: ['foo'] });
  for (const [index, token] of [scene.token('bob'), pod].entries()) {
    const wanted = `1.0.${(index + 1) % 2}`;
    const before = await on(scene.gateway, token, watching);
    const { object } = await before.until('what there is', ({ type }) => type === 'ADDED');
    before.close();
    const after = await on(other, token, `${watching}&resourceVersion=${object.metadata.resourceVersion}`);
    expect((await scene.activate('alice', 'foo', wanted, '?wait=30s')).status).toBe(200);
    await after.until('the activation', (event) => event.object.metadata.version === wanted);
    expect(after.summary()).not.toContain('ADDED');
    expect(after.events[0]?.object.metadata.resourceVersion).not.toBe(object.metadata.resourceVersion);
    after.close();
  }
});
