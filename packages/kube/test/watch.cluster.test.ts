import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import {
  bound,
  cacheEqualsServer,
  refusingInitialEvents,
  watched,
} from '@trimtab/test-bed/watching/watched.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeClient } from '../src/client.ts';
import { createRegistry } from '../src/metrics/metrics.ts';
import { configMaps, namespaces, type Resource } from '../src/resource.ts';
import { keepMetadata } from '../src/watch/keep-metadata.ts';
import type { Change } from '../src/watch/store.ts';
import type { KubeObject } from '../src/wire.ts';

let engine: Engine;
let client: KubeClient;
let namespace: string;

beforeAll(async () => {
  engine = await currentEngine();
  client = await engine.connect();
  namespace = await engine.namespace();
});
afterAll(() => engine.close());

const inNamespace = (object: ConfigMap): ConfigMap => ({
  ...object,
  metadata: { ...object.metadata, namespace },
});
const create = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => {
  const object = inNamespace(configMap(name, data));
  return client.create(configMaps, { ...object, metadata: { ...object.metadata, labels } });
};
const remove = (name: string) => client.delete(configMaps, { namespace, name });
const synced = AbortSignal.timeout(30_000);
const metadataOnly = { projection: 'metadata', transform: keepMetadata, indexes: {} } as const;

describe('a collection of 250 ConfigMaps', () => {
  beforeAll(async () => {
    const body = 'x'.repeat(2_000);
    const some = Array.from({ length: 250 }, (_, n) => `many-${n}`);
    for (let n = 0; n < some.length; n += 25)
      await Promise.all(
        some.slice(n, n + 25).map((name, i) => create(name, { body }, { half: i % 2 ? 'odd' : 'even' })),
      );
  });

  test('is read by initial events, as metadata only', async () => {
    const pages: number[] = [];
    await using reflector = watched({ client: recordingPages(client, pages), namespace, ...metadataOnly });
    await reflector.waitForSync(synced);
    expect(pages).toEqual([]);
    expect(reflector.cache.size).toBeGreaterThanOrEqual(250);
    await cacheEqualsServer(reflector, client, namespace);
    const object = reflector.cache.get(`${namespace}/many-7`);
    expect(Object.keys(object ?? {})).toEqual(['metadata']);
    expect(object?.metadata).not.toHaveProperty('managedFields');
  });

  test('is read in pages where the server refuses initial events, and followed from there', async () => {
    const pages: number[] = [];
    await using reflector = watched({
      client: recordingPages(refusingInitialEvents(client), pages),
      namespace,
      ...metadataOnly,
      timings: { pageSize: 100 },
    });
    await reflector.waitForSync(synced);
    expect(pages).toEqual([100, 100, expect.any(Number)]);
    await cacheEqualsServer(reflector, client, namespace);
    await create('after-the-list');
    await remove('many-0');
    await cacheEqualsServer(reflector, client, namespace);
    await reflector.refresh();
    expect(pages).toHaveLength(6);
  });

  test('is narrowed by a label selector: an object that leaves the selection is deleted', async () => {
    const labelSelector = 'half=odd';
    await using reflector = watched({ client, namespace, labelSelector, ...metadataOnly });
    await reflector.waitForSync(synced);
    await cacheEqualsServer(reflector, client, namespace, labelSelector);
    const [key = ''] = reflector.cache.keys();
    expect(reflector.cache.get(key)?.metadata.labels).toEqual({ half: 'odd' });
    const name = key.slice(namespace.length + 1);
    const body = { metadata: { labels: { half: 'neither' } } };
    await client.patch(configMaps, { namespace, name }, { type: 'merge', body });
    await waitFor('the object leaves the cache', async () =>
      reflector.cache.get(key) ? { seen: `${key} is there` } : { met: true },
    );
    await cacheEqualsServer(reflector, client, namespace, labelSelector);
  });

  test('is narrowed by a field selector to one object', async () => {
    const fieldSelector = 'metadata.name=many-5';
    await using reflector = watched({ client, namespace, fieldSelector, ...metadataOnly });
    await reflector.waitForSync(synced);
    expect([...reflector.cache.keys()]).toEqual([`${namespace}/many-5`]);
  });
});

test('objects are reduced on arrival; changes and deletions are told with what was there before', async () => {
  await create('foo', { color: 'red' });
  const changes: Change<string>[] = [];
  await using reflector = watched<string, 'byColor'>({
    client,
    namespace,
    fieldSelector: 'metadata.name=foo',
    projection: 'full',
    transform: (object) => (object as ConfigMap).data?.['color'] ?? '',
    indexes: { byColor: (color) => [color] },
  });
  reflector.subscribe((change) => {
    changes.push(change);
  });
  await reflector.waitForSync(synced);
  await client.patch(
    configMaps,
    { namespace, name: 'foo' },
    { type: 'merge', body: { data: { color: 'blue' } } },
  );
  await remove('foo');
  const key = `${namespace}/foo`;
  await waitFor('the deletion is told', async () =>
    changes.length < 3 ? { seen: JSON.stringify(changes) } : { met: true },
  );
  expect(changes).toEqual([
    { key, after: 'red' },
    { key, before: 'red', after: 'blue' },
    { key, before: 'blue' },
  ]);
  expect(reflector.cache.keysBy('byColor', 'blue').size).toBe(0);
});

test('a stream that the server ends in due time is resumed, with no reading of everything', async () => {
  const metrics = createRegistry();
  let streams = 0;
  const counting: KubeClient = {
    ...bound(client),
    watch: (resource, options) => {
      streams++;
      return client.watch(resource, options);
    },
  };
  await using reflector = watched({
    client: counting,
    namespace,
    ...metadataOnly,
    metrics,
    timings: { streamSeconds: { min: 1, max: 1 } },
  });
  await reflector.waitForSync(synced);
  await waitFor('three streams', async () => (streams < 3 ? { seen: `${streams}` } : { met: true }));
  await create('between-streams');
  await cacheEqualsServer(reflector, client, namespace);
  expect(relists(metrics.render())).toEqual(['start']);
  expect(reflector.health()).not.toHaveProperty('failingForSeconds');
});

test('whoever asks for a history that the server has forgotten reads everything anew', async () => {
  // The resource is newer than resourceVersion 1, so no server has its history since that version.
  const probes = await defineProbe(client);
  const metrics = createRegistry();
  let sleepy = true;
  const waking: KubeClient = {
    ...bound(client),
    watch: (resource, options) => {
      const old = sleepy && options.sendInitialEvents === undefined;
      if (old) sleepy = false;
      return client.watch(resource, old ? { ...options, resourceVersion: '1' } : options);
    },
  };
  try {
    await using reflector = watched({
      client: refusingInitialEvents(waking),
      resource: probes,
      namespace,
      ...metadataOnly,
      metrics,
    });
    await reflector.waitForSync(synced);
    await waitFor('a reading because of 410', async () =>
      relists(metrics.render()).includes('gone') ? { met: true } : { seen: relists(metrics.render()).join() },
    );
    await client.create(probes, { metadata: { namespace, name: 'one' } });
    await waitFor('the probe', async () =>
      reflector.cache.get(`${namespace}/one`) ? { met: true } : { seen: `${reflector.cache.size} objects` },
    );
  } finally {
    await client.delete(definitions, { name: `${probes.plural}.${probes.group}` });
  }
});

test('objects of all namespaces, and objects without a namespace, have their keys', async () => {
  await create('everywhere');
  await using all = watched({ client, fieldSelector: 'metadata.name=everywhere', ...metadataOnly });
  await using cluster = watched({ client, resource: namespaces, ...metadataOnly });
  await Promise.all([all.waitForSync(synced), cluster.waitForSync(synced)]);
  expect([...all.cache.keys()]).toContain(`${namespace}/everywhere`);
  expect([...cluster.cache.keys()]).toContain(namespace);
});

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

/** Defines a custom resource with a unique name, and waits until it is served. */
async function defineProbe(admin: KubeClient): Promise<Resource> {
  const plural = `probes-${Math.random().toString(36).slice(2, 10)}`;
  const group = 'watch.test.trimtab.dev';
  const probes: Resource = { group, version: 'v1', plural, kind: 'Probe', namespaced: true };
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  };
  await admin.create(definitions, {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind: probes.kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  } as KubeObject);
  await waitFor('the new kind is served', async () => ({ met: await admin.list(probes) }));
  return probes;
}

function recordingPages(real: KubeClient, pages: number[]): KubeClient {
  return {
    ...bound(real),
    list: async (resource, options) => {
      const page = await real.list<never>(resource, options);
      pages.push(page.items.length);
      return page;
    },
  };
}

function relists(metrics: string): string[] {
  return [...metrics.matchAll(/trimtab_watch_relists_total\{watch="contract",cause="([^"]+)"\}/g)].map(
    ([, cause]) => cause ?? '',
  );
}
