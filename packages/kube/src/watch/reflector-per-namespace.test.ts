import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, expect, test } from 'vitest';
import type { KubeClient } from '../client.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { configMaps, namespaces as namespaceResource } from '../resource.ts';
import type { KubeObject } from '../wire.ts';
import { type Reflected, reflect } from './reflect.ts';
import { Reflector } from './reflector.ts';
import { ReflectorPerNamespace } from './reflector-per-namespace.ts';

let stop = new AbortController();
let running: Promise<void> | undefined;
afterEach(async () => {
  stop.abort(new Error('the test is over'));
  await running;
  stop = new AbortController();
});

const object = (namespace: string, name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, resourceVersion, labels: { app: name } },
});

/** Lists by namespace; a watch stays silent until it is aborted. Namespace `denied` may not be listed. */
function clientOf(objects: readonly KubeObject[]): Pick<KubeClient, 'list' | 'watch'> {
  return {
    async list(_resource: unknown, { namespace }: { namespace?: string }) {
      if (namespace === 'denied') throw new Error('forbidden');
      if (namespace === undefined) throw new Error('lists all namespaces');
      const items = objects.filter(({ metadata }) => metadata.namespace === namespace);
      return { metadata: { resourceVersion: '9' }, items };
    },
    async *watch(_resource: unknown, { signal }: { signal: AbortSignal }) {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  } as never;
}

const optionsOf = (client: Pick<KubeClient, 'list' | 'watch'>) => ({
  name: 'configs',
  client,
  resource: configMaps,
  projection: 'metadata' as const,
  transform: ({ metadata }: KubeObject) => metadata,
  indexes: { byApp: ({ labels }: KubeObject['metadata']) => [labels?.['app'] ?? ''] },
  log: silentLogger,
  clock: new ManualClock(),
});

test('two namespaces are read as one cache, and no other namespace is read', async () => {
  const client = clientOf([
    object('shop', 'foo', '1'),
    object('web', 'foo', '2'),
    object('other', 'foo', '3'),
  ]);
  const options = optionsOf(client);
  const reflected: Reflected<KubeObject['metadata'], 'byApp'> = reflect(options, ['shop', 'web', 'empty']);
  const seen: string[] = [];
  const end = reflected.subscribe(({ key }) => {
    seen.push(key);
  });
  expect(reflected.health().synced).toBe(false);
  running = reflected.run(stop.signal);
  await options.clock.advance(1_000);
  await reflected.waitForSync(stop.signal);

  const { cache } = reflected;
  expect([...cache.keys()].sort()).toEqual(['shop/foo', 'web/foo']);
  expect([...cache.entries()].map(([, { namespace }]) => namespace).sort()).toEqual(['shop', 'web']);
  expect(cache.size).toBe(2);
  expect(cache.get('web/foo')?.namespace).toBe('web');
  expect(cache.versionOf('shop/foo')).toBe('1');
  expect(cache.get('other/foo')).toBeUndefined();
  expect([...cache.keysBy('byApp', 'foo')].sort()).toEqual(['shop/foo', 'web/foo']);
  expect(cache.keysBy('byApp', 'none').size).toBe(0);
  expect(reflected.health()).toMatchObject({ synced: true });
  expect(reflected.syncs).toBe(3);
  expect(seen.sort()).toEqual(['shop/foo', 'web/foo']);

  reflected.note(object('web', 'new', '12'), 'metadata');
  reflected.note(object('other', 'new', '13'), 'metadata');
  expect([...cache.keys()].sort()).toEqual(['shop/foo', 'web/foo', 'web/new']);
  end();
  reflected.note(object('shop', 'later', '14'), 'metadata');
  expect(seen).not.toContain('shop/later');
});

test('a namespace that cannot be read is what the health tells', async () => {
  const options = optionsOf(clientOf([object('shop', 'foo', '1')]));
  const reflected = reflect(options, ['shop', 'denied']);
  running = reflected.run(stop.signal);
  await options.clock.advance(1_000);
  expect(reflected.cache.size).toBe(1);
  const { synced, failingForSeconds, lastErrorCode } = reflected.health();
  expect(synced).toBe(false);
  expect(failingForSeconds).toBeGreaterThanOrEqual(0);
  expect(lastErrorCode).toBeDefined();
});

test('one namespace, all namespaces, or a kind without namespaces need one watch', () => {
  const options = optionsOf(clientOf([]));
  expect(reflect(options)).toBeInstanceOf(Reflector);
  expect(reflect(options, ['shop'])).toBeInstanceOf(Reflector);
  expect(reflect(options, ['shop', 'web'])).toBeInstanceOf(ReflectorPerNamespace);
  expect(reflect({ ...options, resource: namespaceResource }, ['shop', 'web'])).toBeInstanceOf(Reflector);
});
