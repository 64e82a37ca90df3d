import { configMaps } from '@trimtab/kube/resource.ts';
import type { Injection } from '@trimtab/test-bed/fault-proxy/faults.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ConfigBody } from '../../src/api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import type { Answered } from './support/gateway-scene.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;
let upstream: FaultProxy | undefined;
const rules: number[] = [];

beforeAll(async () => {
  scene = await VersionsScene.start({
    between: async (access) => {
      upstream = await FaultProxy.start({ access });
      return upstream.access();
    },
  });
});

afterEach(() => {
  for (const id of rules.splice(0)) upstream?.retire(id);
  upstream?.release();
});

afterAll(async () => {
  await scene?.close();
  await upstream?.close();
});

function inject(injection: Injection): Promise<void> {
  const injected = upstream?.inject(injection);
  if (injected === undefined) throw new Error('the fault proxy has not started');
  rules.push(injected.id);
  return injected.fired;
}

async function unmanaged(name: string, own: Record<string, string> = {}): Promise<ConfigBody> {
  const config: ConfigBody = configMap(name, { color: 'blue' });
  config.metadata = { ...config.metadata, namespace: scene.namespace, annotations: own };
  return scene.client.create<ConfigBody>(configMaps, config);
}

const where = (name: string) => ({ namespace: scene.namespace, name });
const live = (name: string) => scene.client.get<ConfigBody>(configMaps, where(name));
const rollout = (name: string) => scene.client.get<ConfigRollout>(configRollouts, where(`configmap-${name}`));

async function versionsOf(name: string): Promise<string[]> {
  const { json } = await scene.ours('alice', `configmaps/${name}/versions`);
  return json.items.map((each: { metadata: { name: string }; state: string }) =>
    [each.metadata.name, each.state].join(': '),
  );
}

type Way = 'apply' | 'replace' | 'merge' | 'client-side apply';

/** Makes the config red in version 1.1, as kubectl does in these ways. */
function edit(way: Way, name: string, { release, query = '' }: { release?: string; query?: string } = {}) {
  const own = release === undefined ? {} : { annotations: { [annotations.release]: release } };
  const named = { name, version: '1.1', ...own };
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: named, data: { color: 'red' } };
  const send = (method: string, parameters: string, body: object, type: string): Promise<Answered> =>
    scene.as('alice', method, `configmaps/${name}?${parameters}${query}`, body, {
      contentType: `application/${type}`,
    });
  const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
  const applied = { ...own.annotations, [lastApplied]: JSON.stringify(manifest) };
  const patch = { metadata: { ...named, annotations: applied }, data: { color: 'red' } };
  switch (way) {
    case 'apply':
      return send('PATCH', 'fieldManager=ci&force=true&', manifest, 'apply-patch+yaml');
    case 'replace':
      return send('PUT', '', manifest, 'json');
    case 'merge':
      return send('PATCH', '', { metadata: named, data: { color: 'red' } }, 'merge-patch+json');
    case 'client-side apply':
      return send('PATCH', '', patch, 'strategic-merge-patch+json');
  }
}

const ways: readonly Way[] = ['apply', 'replace', 'merge', 'client-side apply'];
const cases = ways.flatMap((way) =>
  ['auto', 'manual', 'locked'].map(
    (release) => [way, release, `${way}-${release}`.replace(' ', '-')] as const,
  ),
);

test.each(cases)('an edit by %s with the release mode %s takes effect in it', async (way, release, name) => {
  await unmanaged(name);
  const { status, text, headers } = await edit(way, name, { release });
  const isLocked = release === 'locked';
  expect(status, text).toBe(isLocked ? 201 : 200);
  expect(headers.get('warning')).toBeNull();
  const { spec } = await rollout(name);
  expect(spec.release.toLowerCase()).toBe(release);
  expect((await live(name)).data).toEqual({ color: isLocked ? 'blue' : 'red' });
  // No controller runs: in release mode Auto, it would activate the version.
  expect(await versionsOf(name)).toEqual(['1.0.0: current', '1.1: not-current']);
  expect((await edit(way, name, { release })).status).toBe(200);
  expect(await versionsOf(name)).toEqual(['1.0.0: current', '1.1: not-current']);
});

test('the release mode of the edit counts, not that of the config before', async () => {
  await unmanaged('was-locked', { [annotations.release]: 'locked' });
  expect((await edit('replace', 'was-locked')).status).toBe(200);
  expect((await rollout('was-locked')).spec.release).toBe('Auto');
  await unmanaged('stays-manual', { [annotations.release]: 'manual' });
  expect((await edit('merge', 'stays-manual')).status).toBe(200);
  expect((await rollout('stays-manual')).spec.release).toBe('Manual');
});

test('a locked config without its ConfigRollout stays locked', async () => {
  const config: ConfigBody = configMap('orphan', { color: 'blue' });
  config.metadata = { ...config.metadata, namespace: scene.namespace, labels: { [labels.locked]: 'true' } };
  await scene.client.create(configMaps, config);
  expect((await edit('replace', 'orphan')).status).toBe(201);
  expect((await rollout('orphan')).spec.release).toBe('Locked');
  expect((await live('orphan')).data).toEqual({ color: 'blue' });
});

test.each(ways)('an edit by %s with an unknown release mode is refused', async (way) => {
  const name = `unknown-${way.replace(' ', '-')}`;
  const before = await unmanaged(name);
  const { status, json } = await edit(way, name, { release: 'lokced' });
  expect([status, json.message]).toEqual([400, expect.stringContaining('"lokced"')]);
  expect(await live(name)).toEqual(before);
  await expect(rollout(name)).rejects.toMatchObject({ status: 404 });
});

test.each(ways)('a dry run by %s writes nothing', async (way) => {
  const name = `dry-${way.replace(' ', '-')}`;
  const before = await unmanaged(name);
  for (const release of ['auto', 'manual', 'locked'])
    expect([200, 201]).toContain((await edit(way, name, { release, query: 'dryRun=All' })).status);
  expect(await live(name)).toEqual(before);
  await expect(rollout(name)).rejects.toMatchObject({ status: 404 });
});

test('the warnings of the API server reach the caller', async () => {
  const unknown = 'unknown field "colour"';
  const put = (name: string, metadata: object, color: string) =>
    scene.as('alice', 'PUT', `configmaps/${name}`, {
      metadata: { name, ...metadata },
      data: { color },
      colour: 1,
    });
  await unmanaged('warned');
  expect((await put('warned', { version: '1.0' }, 'blue')).headers.get('warning')).toContain('unknown field');
  const { resourceVersion } = (await live('warned')).metadata;
  const { status, headers } = await put('warned', { version: '1.1', resourceVersion }, 'red');
  expect([status, headers.get('warning')?.replaceAll('\\', '')]).toEqual([
    200,
    expect.stringContaining(unknown),
  ]);
});

/** Replaces the config as kubectl does, which sends the resourceVersion that it has read. */
async function replaced(name: string, version: string, color: string): Promise<Answered> {
  const { resourceVersion } = (await live(name)).metadata;
  const body = { metadata: { name, version, resourceVersion }, data: { color } };
  return scene.as('alice', 'PUT', `configmaps/${name}`, body);
}

/** Does something between the dry run of a replacement and the replacement itself. */
async function meanwhile(replacing: () => Promise<Answered>, act: () => Promise<unknown>): Promise<Answered> {
  const when = { verb: 'update', resource: 'configmaps', nth: 2 } as const;
  const isStalled = inject({ when, fault: { kind: 'stall' } });
  const answer = replacing();
  await isStalled;
  await act();
  upstream?.release();
  return answer;
}

const label = (name: string) =>
  scene.client.patch(configMaps, where(name), {
    type: 'merge',
    body: { metadata: { labels: { [labels.config]: name } } },
  });

test('the controller may label a config while kubectl replace makes it managed', async () => {
  await unmanaged('labelled');
  const answer = await meanwhile(
    () => replaced('labelled', '1.1', 'red'),
    () => label('labelled'),
  );
  expect(answer.status, answer.text).toBe(200);
  expect((await live('labelled')).data).toEqual({ color: 'red' });
  expect(await versionsOf('labelled')).toEqual(['1.0.0: current', '1.1: not-current']);
  // A replacement drops the label, and the controller restores it: before the next replacement, or during it.
  const next = await meanwhile(
    () => replaced('labelled', '1.2', 'green'),
    () => label('labelled'),
  );
  expect(next.status, next.text).toBe(200);
  expect((await live('labelled')).data).toEqual({ color: 'green' });
  expect(await versionsOf('labelled')).toEqual(['1.0.0: current', '1.1: not-current', '1.2: not-current']);
});

test('an edit by another user is not overwritten, and leaves no version behind', async () => {
  await unmanaged('contested');
  const theirs = { type: 'merge', body: { data: { shape: 'round' } } } as const;
  const answer = await meanwhile(
    () => replaced('contested', '1.1', 'red'),
    () => scene.client.patch(configMaps, where('contested'), theirs),
  );
  expect([answer.status, answer.json.reason]).toEqual([409, 'Conflict']);
  expect((await live('contested')).data).toEqual({ color: 'blue', shape: 'round' });
  expect(await versionsOf('contested')).toEqual(['1.0.0: current']);
});

const moments = [
  ['create', 'configrollouts', 2],
  ['create', 'configmaps', 2],
  ['update', 'configmaps', 2],
  ['create', 'configmaps', 3],
] as const;

test.each(
  moments.flatMap(
    (moment) =>
      [
        [...moment, 'before'],
        [...moment, 'after'],
      ] as const,
  ),
)(
  'a replacement that fails at the %s of %s, number %i, %s it, is finished by the same call',
  async (verb, resource, nth, when) => {
    const name = `dies-${verb}-${resource}-${nth}-${when}`;
    await unmanaged(name);
    const firing = inject({ when: { verb, resource, nth }, fault: { kind: `fail-${when}` } });
    expect((await edit('replace', name, { release: 'manual' })).status).toBe(503);
    await firing;
    const { status, text } = await edit('replace', name, { release: 'manual' });
    expect(status, text).toBe(200);
    expect((await rollout(name)).spec.release).toBe('Manual');
    expect((await live(name)).data).toEqual({ color: 'red' });
    expect(await versionsOf(name)).toEqual(['1.0.0: current', '1.1: not-current']);
  },
);
