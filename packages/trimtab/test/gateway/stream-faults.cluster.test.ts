import type { ClusterAccess } from '@trimtab/kube/access.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { CurrentScene } from './support/current-scene.ts';

let engine: Engine;

beforeAll(async () => {
  engine = await currentEngine();
});

afterAll(async () => {
  await engine?.close();
});

test('streams outlive the watches behind them, share these, and end properly with the gateway', async () => {
  let proxy: FaultProxy | undefined;
  const scene = await CurrentScene.start(engine, {
    maxStreamsPerPod: 20,
    between: async (access) => {
      proxy = await FaultProxy.start({ access });
      return proxy.access();
    },
  });
  try {
    const log = engine.auditLog();
    const mark = await log.mark();
    await scene.versions('foo', { color: 'blue' }, { color: 'green' });
    await scene.story.given.object(configMap('plain', { color: 'grey' }));
    const { token } = await scene.pod('reader', { configMaps: ['foo', 'plain'] });
    const watches = await Promise.all([
      ...Array.from({ length: 10 }, () => scene.watch(token, 'foo')),
      scene.watch(scene.token('alice'), 'foo'),
    ]);
    const plain = [await scene.watch(token, 'plain'), await scene.watch(scene.token('alice'), 'plain')];
    await Promise.all(
      [...watches, ...plain].map((watch) => watch.until('what there is', ({ type }) => type === 'ADDED')),
    );

    expect(await proxy?.breakWatches('cut')).toBe(3);
    // Persons' streams read again with their own credentials, and these reads fail at first as well.
    proxy?.inject({
      when: { verb: 'get', resource: 'configrollouts' },
      fault: { kind: 'status', code: 503 },
      times: 2,
    });
    await scene.story.when.edited<ConfigMap>(configMaps, 'plain', withData({ color: 'white' }));
    const client = await engine.connect({ serviceAccount: 'alice', namespace: scene.namespace });
    const where = { namespace: scene.namespace, name: 'configmap-foo' };
    await client.patch(configRollouts, where, { type: 'merge', body: { spec: { version: '1.0.1' } } });

    await Promise.all(
      watches.map((watch) =>
        watch.until('1.0.1 is current', ({ object }) => object.metadata.version === '1.0.1'),
      ),
    );
    await Promise.all(
      plain.map((watch) => watch.until('the edit', ({ object }) => object.data.color === 'white')),
    );
    await scene.gateway.close();
    const ends = await Promise.all([...watches, ...plain].map((watch) => watch.ended()));
    expect(new Set(ends)).toEqual(new Set(['by server']));
    const user = `system:serviceaccount:${scene.namespace}:gateway`;
    const opened = await waitFor('the watches are in the log', async () => {
      const entries = (await log.since(mark)).filter((each) => each.user === user && each.verb === 'watch');
      const resources = entries.map(({ resource }) => resource).sort();
      return resources.length >= 6 ? { met: resources } : { seen: resources.join(' ') };
    });
    // One watch per kind, and one more after the break, for 13 streams.
    expect(opened).toEqual(['configmaps', 'configmaps', 'configrollouts', 'configrollouts', 'pods', 'pods']);
  } finally {
    await scene[Symbol.asyncDispose]();
    await proxy?.close();
  }
});

test('streams stay open in an outage, and then tell what changed during it', async () => {
  let proxy: FaultProxy | undefined;
  const between = async (access: ClusterAccess) => {
    proxy = await FaultProxy.start({ access });
    return proxy.access();
  };
  const scene = await CurrentScene.start(engine, { between });
  try {
    await scene.story.given.object(configMap('plain', { color: 'grey' }));
    const { token } = await scene.pod('reader', { configMaps: ['plain'] });
    const watches = [await scene.watch(token, 'plain'), await scene.watch(scene.token('alice'), 'plain')];
    await Promise.all(watches.map((watch) => watch.until('what there is', ({ type }) => type === 'ADDED')));

    const outage = proxy?.inject({ when: {}, fault: { kind: 'fail-before' }, times: 10_000 });
    await proxy?.breakWatches('cut');
    await scene.story.when.edited<ConfigMap>(configMaps, 'plain', withData({ color: 'white' }));
    await waitFor('each watch has failed a few times', async () => {
      const fired = proxy?.report().flatMap((rule) => rule.fired) ?? [];
      return fired.length >= 12 ? { met: true } : { seen: fired.join(', ') };
    });
    outage?.retire();
    await Promise.all(
      watches.map((watch) => watch.until('the edit', ({ object }) => object.data.color === 'white')),
    );
  } finally {
    await scene[Symbol.asyncDispose]();
    await proxy?.close();
  }
});

test('without the right to read Secrets it serves ConfigMaps, and says why it does not serve Secrets', async () => {
  await using scene = await CurrentScene.start(engine, { secrets: false });
  await scene.story.given.objects(configMap('plain', { color: 'grey' }), secret('hidden', { key: 'value' }));
  const { token } = await scene.pod('reader', { configMaps: ['plain'], secrets: ['hidden'] });
  const watch = await scene.watch(token, 'plain');
  await watch.until('what there is', ({ type }) => type === 'ADDED');
  watch.close();
  const path = scene.path({ config: 'hidden', kind: 'secrets' });
  const refused = await scene.gateway.callWith(token, { path });
  expect(refused.status).toBe(403);
  expect(refused.json.message).toContain('--no-secrets');
  // A person reads with their own rights.
  expect((await scene.call('alice', { config: 'hidden', kind: 'secrets' })).status).toBe(200);
});
