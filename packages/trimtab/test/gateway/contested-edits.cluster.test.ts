import { configMaps } from '@trimtab/kube/resource.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ConfigBody } from '../../src/api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations } from '../../src/api/names.ts';
import type { RunningController } from '../support/running-controller.ts';
import { controllerOf } from './support/controller-of.ts';
import type { Answered } from './support/gateway-scene.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;
let controller: RunningController;
let upstream: FaultProxy | undefined;
const rules: number[] = [];

beforeAll(async () => {
  scene = await VersionsScene.start({
    between: async (access) => {
      upstream = await FaultProxy.start({ access });
      return upstream.access();
    },
  });
  controller = await controllerOf(scene);
});

afterEach(() => {
  for (const id of rules.splice(0)) upstream?.retire(id);
  upstream?.release();
});

afterAll(async () => {
  await controller?.stop();
  await scene?.close();
  await upstream?.close();
});

const where = (name: string) => ({ namespace: scene.namespace, name });
const live = (name: string) => scene.client.get<ConfigBody>(configMaps, where(name));

async function rollout(name: string): Promise<ConfigRollout> {
  return scene.client.get<ConfigRollout>(configRollouts, where(`configmap-${name}`));
}

async function versionsOf(name: string): Promise<string[]> {
  const { json } = await scene.ours('alice', `configmaps/${name}/versions`);
  return json.items.map((each: { metadata: { name: string }; state: string }) =>
    [each.metadata.name, each.state].join(': '),
  );
}

async function becomes(name: string, expected: string[]): Promise<void> {
  await waitFor(`the versions of ${name}`, async () => {
    const found = await versionsOf(name);
    return JSON.stringify(found) === JSON.stringify(expected)
      ? { met: true }
      : { seen: JSON.stringify(found) };
  });
}

type Way = 'merge' | 'strategic' | 'apply' | 'json';
const ways: readonly Way[] = ['merge', 'strategic', 'apply', 'json'];

/** Sets the color in a version, as kubectl patch and kubectl apply --server-side do. */
function edit(
  way: Way,
  name: string,
  version: string,
  { manager = 'ci', color = 'red' } = {},
): Promise<Answered> {
  const patch = { metadata: { version }, data: { color } };
  const send = (body: object, type: string, query = '') =>
    scene.as('alice', 'PATCH', `configmaps/${name}${query}`, body, { contentType: `application/${type}` });
  switch (way) {
    case 'merge':
      return send(patch, 'merge-patch+json');
    case 'strategic':
      return send(patch, 'strategic-merge-patch+json');
    case 'apply': {
      const manifest = { apiVersion: 'v1', kind: 'ConfigMap', ...patch, metadata: { name, version } };
      return send(manifest, 'apply-patch+yaml', `?fieldManager=${manager}&force=true`);
    }
    case 'json':
      return send(
        [
          { op: 'add', path: '/metadata/version', value: version },
          { op: 'replace', path: '/data/color', value: color },
        ],
        'json-patch+json',
      );
  }
}

/** A managed config in release mode Auto, whose version 1.0.0 is current. */
async function released(name: string): Promise<void> {
  const config: ConfigBody = configMap(name, { color: 'blue', shape: 'round' });
  config.metadata.namespace = scene.namespace;
  await scene.client.create(configMaps, config);
  const answer = await scene.as(
    'alice',
    'PATCH',
    `configmaps/${name}`,
    {
      metadata: { version: '1.0.0' },
    },
    { contentType: 'application/merge-patch+json' },
  );
  expect(answer.status, answer.text).toBe(200);
  await becomes(name, ['1.0.0: current']);
  // Without the name, the edits of others are named automatically.
  const unnamed = { metadata: { version: null } };
  await scene.as('alice', 'PATCH', `configmaps/${name}`, unnamed, {
    contentType: 'application/merge-patch+json',
  });
}

/** Does something between the dry run of an edit and the edit itself. */
async function meanwhile(editing: () => Promise<Answered>, act: () => Promise<unknown>): Promise<Answered> {
  const injected = upstream?.inject({
    when: { verb: 'patch', resource: 'configmaps', nth: 2 },
    fault: { kind: 'stall' },
  });
  if (injected === undefined) throw new Error('the fault proxy has not started');
  rules.push(injected.id);
  const answer = editing();
  await injected.fired;
  await act();
  upstream?.release();
  return answer;
}

const change = (name: string, body: object) =>
  scene.client.patch(configMaps, where(name), { type: 'merge', body });

test.each(ways)(
  'an edit by %s that names a version is refused when another user edits the config meanwhile',
  async (way) => {
    const name = `contested-${way}`;
    await released(name);
    const answer = await meanwhile(
      () => edit(way, name, '1.1'),
      () => change(name, { data: { shape: 'square' } }),
    );
    expect([answer.status, answer.json.message]).toEqual([
      409,
      expect.stringMatching(/was changed .* repeat the request with another version name/),
    ]);
    expect((await live(name)).data).toEqual({ color: 'blue', shape: 'square' });
    await becomes(name, ['1.0.0: not-current', '1.1: not-current', '1.0.1: current']);
    const again = await edit(way, name, '1.2');
    expect(again.status, again.text).toBe(200);
    expect((await live(name)).data).toEqual({ color: 'red', shape: 'square' });
    await becomes(name, ['1.0.0: not-current', '1.1: not-current', '1.0.1: not-current', '1.2: current']);
    expect(JSON.stringify((await rollout(name)).status)).not.toContain('VersionNameTaken');
  },
);

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** kubectl has created the config by client-side apply: the API server then keeps what it applies. */
async function appliedBefore(name: string): Promise<void> {
  await released(name);
  await change(name, { metadata: { annotations: { [lastApplied]: '{"metadata":{}}' } } });
}

test('kubectl apply --server-side loses its version name when another user edits the config meanwhile', async () => {
  const name = 'by-kubectl';
  await appliedBefore(name);
  const answer = await meanwhile(
    () => edit('apply', name, '1.1', { manager: 'kubectl' }),
    () => change(name, { data: { shape: 'square' } }),
  );
  expect([answer.status, answer.json.message]).toEqual([
    409,
    expect.stringContaining('repeat the request with another version name'),
  ]);
  const { data, metadata } = await live(name);
  expect(data).toEqual({ color: 'red', shape: 'square' });
  expect(Object.keys(metadata.annotations ?? {})).not.toContain(annotations.version);
  expect(metadata.annotations?.[lastApplied]).not.toContain('resourceVersion');
  const again = await edit('apply', name, '1.2', { manager: 'kubectl', color: 'green' });
  expect(again.status, again.text).toBe(200);
  await waitFor('version 1.2 is current', async () => {
    const found = await versionsOf(name);
    return found.includes('1.2: current') && found.includes('1.1: not-current')
      ? { met: true }
      : { seen: JSON.stringify(found) };
  });
  expect(JSON.stringify((await rollout(name)).status)).not.toContain('VersionNameTaken');
});

test('kubectl apply --server-side of the same manifest changes nothing', async () => {
  await appliedBefore('repeated');
  await edit('apply', 'repeated', '1.1', { manager: 'kubectl' });
  await becomes('repeated', ['1.0.0: not-current', '1.1: current']);
  const before = await live('repeated');
  const again = await edit('apply', 'repeated', '1.1', { manager: 'kubectl' });
  expect(again.status, again.text).toBe(200);
  expect(await live('repeated')).toEqual(before);
});

test.each(ways)('a change of labels meanwhile is no conflict with an edit by %s', async (way) => {
  const name = `labelled-${way}`;
  await released(name);
  const answer = await meanwhile(
    () => edit(way, name, '1.1'),
    () => change(name, { metadata: { labels: { team: 'red' } } }),
  );
  expect(answer.status, answer.text).toBe(200);
  const { data, metadata } = await live(name);
  expect([data, metadata.labels?.['team']]).toEqual([{ color: 'red', shape: 'round' }, 'red']);
  await becomes(name, ['1.0.0: not-current', '1.1: current']);
});
