import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import type { Fault, Match } from '@trimtab/test-bed/fault-proxy/faults.ts';
import { mulberry32 } from '@trimtab/test-bed/fault-proxy/prng.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';
import { cacheEqualsServer, refusingInitialEvents, watched } from '@trimtab/test-bed/watching/watched.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeClient } from '../src/client.ts';
import { silentLogger } from '../src/log/silent-logger.ts';
import { configMaps } from '../src/resource.ts';
import { httpClient } from '../src/transport/http-client.ts';
import { keepMetadata } from '../src/watch/keep-metadata.ts';
import type { KubeObject } from '../src/wire.ts';

let engine: Engine;
let client: KubeClient;

beforeAll(async () => {
  engine = await currentEngine();
  client = await engine.connect();
});
afterAll(() => engine.close());

/** Faults that a client can detect, and from which it recovers immediately. */
const noticed: [Fault, Match][] = [
  [{ kind: 'drop-event', thenCut: true }, { probability: 0.04 }],
  [{ kind: 'repeat-event' }, { probability: 0.1 }],
  [{ kind: 'cut-watch' }, { probability: 0.04 }],
  [{ kind: 'cut-watch', midLine: true }, { probability: 0.04 }],
  [{ kind: 'end-watch' }, { probability: 0.04 }],
  [{ kind: 'expire-watch' }, { probability: 0.03 }],
  [{ kind: 'delay-event', ms: 50 }, { probability: 0.03 }],
  [{ kind: 'stall-watch', boundMs: 200 }, { probability: 0.02 }],
  [
    { kind: 'status', code: 410 },
    { verb: 'watch', probability: 0.2 },
  ],
  [
    { kind: 'status', code: 500 },
    { verb: 'watch', probability: 0.2 },
  ],
  [{ kind: 'fail-before' }, { verb: 'watch', probability: 0.2 }],
];

/** Additional faults for syncs by list. */
const ofLists: [Fault, Match][] = [
  [
    { kind: 'status', code: 503 },
    { verb: 'list', probability: 0.3 },
  ],
  [{ kind: 'fail-after' }, { verb: 'list', probability: 0.2 }],
];

/** Faults that leave no trace in the stream, or only sometimes; the periodic relist repairs the cache. */
const unnoticed: [Fault, Match][] = [
  [{ kind: 'drop-event' }, { probability: 0.03 }],
  [{ kind: 'reorder-event' }, { probability: 0.1 }],
];

describe.each([
  { which: 'faults that a client can notice', faults: noticed, relistEverySeconds: 3_600 },
  {
    which: 'silent losses and reordering as well',
    faults: [...noticed, ...unnoticed],
    relistEverySeconds: 2,
  },
])('after $which', ({ faults, relistEverySeconds }) => {
  test.each([
    { seed: 1, by: 'initial events' },
    { seed: 2, by: 'lists' },
    { seed: 3, by: 'initial events' },
    { seed: 4, by: 'lists' },
  ])('the cache equals the server, synced by $by (seed $seed)', async ({ seed, by }) => {
    const namespace = await engine.namespace();
    const proxy = await FaultProxy.start({ access: await engine.access(), seed });
    const through = httpClient({ access: proxy.access(), log: silentLogger });
    try {
      const all = by === 'lists' ? [...faults, ...ofLists] : faults;
      const rules = all.map(([fault, when]) =>
        proxy.inject({ when: { resource: 'configmaps', ...when }, fault, times: 3 }),
      );
      await using reflector = watched({
        client: by === 'lists' ? refusingInitialEvents(through) : through,
        namespace,
        projection: 'metadata',
        transform: keepMetadata,
        indexes: {},
        timings: { relistEverySeconds, pageSize: 5 },
      });
      const replica = new Map<string, KubeObject>();
      reflector.subscribe(({ key, after }) => {
        if (after) replica.set(key, after);
        else replica.delete(key);
      });
      await writeUntil(Promise.all(rules.map((rule) => rule.fired)), proxy, namespace);
      for (const rule of rules) rule.retire();
      proxy.release();
      await cacheEqualsServer(reflector, client, namespace);
      expect(new Map(reflector.cache.entries())).toEqual(replica);
      console.log(`watch faults, seed ${seed}: ${summary(proxy)}`);
      proxy.assertFired();
    } finally {
      through.close();
      await proxy.close();
    }
  });
});

/**
 * Creates, changes and deletes fifteen objects at random, without the proxy, until every fault has fired. Watches are
 * broken at intervals, so faults of opening a watch and of lists occur, too.
 */
async function writeUntil(allFired: Promise<unknown>, proxy: FaultProxy, namespace: string): Promise<void> {
  const draw = mulberry32(proxy.seed);
  const present = new Set<string>();
  let enough = false;
  void allFired.then(() => {
    enough = true;
  });
  for (let n = 0; n < 4_000 && !(enough && n >= 200); n++) {
    if (n % 50 === 49) await proxy.breakWatches(n % 100 === 99 ? 'expire' : 'cut');
    const name = `c-${Math.floor(draw() * 15)}`;
    const metadata = { namespace, name, labels: { n: String(n) } };
    if (!present.has(name)) {
      await client.create(configMaps, { metadata });
      present.add(name);
    } else if (draw() < 0.3) {
      await client.delete(configMaps, { namespace, name });
      present.delete(name);
    } else await client.patch(configMaps, { namespace, name }, { type: 'merge', body: { metadata } });
  }
}

function summary(proxy: FaultProxy): string {
  return proxy
    .report()
    .map(({ injection, fired }) => {
      const { kind, ...settings } = injection.fault;
      return `${[kind, ...Object.values(settings)].join(' ')} ×${fired.length}`;
    })
    .join(', ');
}
