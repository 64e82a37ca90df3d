import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KubeClient, WatchOptions, WatchStream } from '../src/client.ts';
import { listAll } from '../src/paging.ts';
import { configMaps } from '../src/resource.ts';
import { isGone } from '../src/transport/errors.ts';
import type { KubeObject, WatchEvent } from '../src/wire.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

let engine: Engine;
let client: KubeClient;
let namespace: string;

beforeAll(async () => {
  engine = await currentEngine();
  client = await engine.connect();
});

beforeEach(async () => {
  namespace = await engine.namespace();
});

afterAll(() => engine?.close());

const ours = { labelSelector: 'test=reading' };

async function create(name: string, data: Record<string, string> = { color: 'blue' }): Promise<ConfigMap> {
  return client.create<ConfigMap>(configMaps, {
    metadata: { namespace, name, labels: { test: 'reading' } },
    data,
  });
}

describe('lists', () => {
  test('come in pages that together are one snapshot, whatever changes meanwhile', async () => {
    const names = Array.from({ length: 25 }, (_, n) => `cm-${String(n).padStart(2, '0')}`);
    await Promise.all(names.map((name) => create(name)));
    const seen: (string | undefined)[] = [];
    const versions = new Set<string>();
    for await (const page of listAll<ConfigMap>(client, configMaps, { namespace, ...ours, limit: 10 })) {
      if (page.type === 'restart') expect.fail('nothing expired');
      seen.push(...page.items.map((item) => item.metadata.name));
      versions.add(page.resourceVersion);
      expect(page.items.every((item) => item.kind === 'ConfigMap' && item.apiVersion === 'v1')).toBe(true);
      if (seen.length === 10) await create('cm-99');
    }
    expect(seen).toEqual(names);
    expect(versions.size).toBe(1);
  });

  test('with a token that the server does not know are refused', async () => {
    const list = client.list(configMaps, { namespace, continue: 'bm90IGEgdG9rZW4', limit: 10 });
    await expect(list).rejects.toMatchObject({ name: 'ApiError', status: 400 });
  });

  test('and objects can be metadata alone', async () => {
    await create('large', { body: 'x'.repeat(100_000) });
    const list = await client.list<ConfigMap>(configMaps, { namespace, ...ours, projection: 'metadata' });
    const one = await client.get<ConfigMap>(
      configMaps,
      { namespace, name: 'large' },
      { projection: 'metadata' },
    );
    for (const object of [list.items[0], one]) {
      expect(object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'large', namespace } });
      expect(object?.data).toBeUndefined();
    }
  });
});

describe('watches', () => {
  const stop = new AbortController();
  afterAll(() => stop.abort());

  function open(options: Partial<WatchOptions>): Promise<WatchStream> {
    return client.watch(configMaps, {
      namespace,
      ...ours,
      signal: stop.signal,
      timeoutSeconds: 60,
      ...options,
    });
  }

  /** Reads `count` events, not counting bookmarks. */
  async function read(stream: WatchStream, count: number): Promise<WatchEvent<ConfigMap>[]> {
    const events: WatchEvent<ConfigMap>[] = [];
    for await (const event of stream.events) {
      const found = event as WatchEvent<ConfigMap>;
      if (found.type !== 'BOOKMARK') events.push(found);
      if (events.length === count) break;
    }
    return events;
  }

  test.each(['full', 'metadata'] as const)('tell what happened since the list (%s)', async (projection) => {
    const { resourceVersion = '' } = (await client.list(configMaps, { namespace, ...ours })).metadata;
    const stream = await open({ resourceVersion, projection });
    const object = await create('foo', { text: 'Zürich 🚢'.repeat(20_000) });
    await client.update(configMaps, { ...object, data: { text: 'short' } });
    await client.delete(configMaps, { namespace, name: 'foo' });
    const events = await read(stream, 3);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    const [added] = events;
    expect(added?.object.kind).toBe(projection === 'full' ? 'ConfigMap' : 'PartialObjectMetadata');
    expect(added?.object.data).toEqual(projection === 'full' ? object.data : undefined);
  });

  test('can begin with what is there, and say when that was all', async () => {
    await create('a');
    await create('b');
    const stream = await open({ sendInitialEvents: true, projection: 'metadata' });
    const names: (string | undefined)[] = [];
    for await (const event of stream.events) {
      const { type, object } = event as WatchEvent;
      if (type === 'BOOKMARK') {
        expect(object.metadata.annotations).toHaveProperty(['k8s.io/initial-events-end'], 'true');
        break;
      }
      names.push(object.metadata.name);
    }
    expect(names.sort()).toEqual(['a', 'b']);
  });

  test('end when the server ends them', async () => {
    const stream = await open({ resourceVersion: '0', timeoutSeconds: 1 });
    for await (const event of stream.events) expect(event).toMatchObject({ type: 'BOOKMARK' });
  });

  test('from a version that nobody remembers are refused as gone', async () => {
    const stream = await open({ resourceVersion: '1' }).catch((error: unknown) => error);
    if (isGone(stream)) return;
    const [event] = await read(stream as WatchStream, 1);
    expect(event).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
  });

  test('by the dozen leave room for requests', async () => {
    const streams = await Promise.all(Array.from({ length: 60 }, () => open({ resourceVersion: '0' })));
    expect((await create('meanwhile')).metadata.uid).toBeDefined();
    for (const stream of streams) stream.close();
  });
});
