import {
  HistoryServer,
  type RequestFault,
  type StreamFault,
} from '@trimtab/test-bed/fakes/history-server.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { silentLogger } from '../log/silent-logger.ts';
import { configMaps } from '../resource.ts';
import type { KubeObject } from '../wire.ts';
import { keepMetadata } from './keep-metadata.ts';
import { keyOf } from './read-event.ts';
import { Reflector } from './reflector.ts';
import { compareVersions } from './resource-version.ts';
import type { Change } from './store.ts';

/** Faults that a client can detect. */
const visible: StreamFault[] = [
  'none',
  'none',
  'repeat',
  'repeat',
  'repeat-earlier',
  'repeat-earlier',
  'repeat-earlier',
  'drop-and-cut',
  'drop-compact-and-cut',
  'cut',
  'end',
  'gone',
  'error',
  'bookmark',
  'nonsense',
  'stall',
];
const requestFaults: RequestFault[] = ['none', 'network', 'gone', 'unavailable', 'internal'];
const relistEverySeconds = 1_000;

type Action =
  | { do: 'write' | 'delete'; key: string }
  | { do: 'stream'; faults: StreamFault[] }
  | { do: 'request'; faults: RequestFault[] }
  | { do: 'wait'; ms: number }
  | { do: 'compact' | 'refresh' | 'hold' | 'release' }
  /**
   * The response of an own write arrives, possibly long after the watch delivered the write or the object's deletion.
   */
  | { do: 'answer'; from: number };

function actions(streamFaults: StreamFault[]): fc.Arbitrary<Action[]> {
  const key = fc.constantFrom('shop/a', 'shop/b', 'shop/c', 'blog/a', 'blog/b');
  const few = { minLength: 1, maxLength: 6 };
  return fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('write' as const), key }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
      {
        weight: 5,
        arbitrary: fc.record({ do: fc.constant('answer' as const), from: fc.integer({ min: 1, max: 4 }) }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('stream' as const),
          faults: fc.array(fc.constantFrom(...streamFaults), few),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('request' as const),
          faults: fc.array(fc.constantFrom(...requestFaults), few),
        }),
      },
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 100, 3_000) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constantFrom('compact', 'refresh', 'hold', 'release') }),
      },
    ),
    { minLength: 10, maxLength: 80, size: 'max' },
  );
}

/** A copy of the cache, built from changes alone. Fails when a change does not match the previous state. */
class Replica {
  readonly objects = new Map<string, KubeObject>();
  readonly #gone = new Set<string | undefined>();
  readonly #mayReturn: boolean;

  /** Set `mayReturn` when events are lost: an existing object may then appear deleted for some time. */
  constructor({ mayReturn }: { mayReturn: boolean }) {
    this.#mayReturn = mayReturn;
  }

  hear({ key, before, after }: Change<KubeObject>): void {
    expect(before).toBe(this.objects.get(key));
    if (!after) {
      this.objects.delete(key);
      if (!this.#mayReturn) this.#gone.add(before?.metadata.uid);
      return;
    }
    expect(this.#gone.has(after.metadata.uid), `${after.metadata.uid} reappeared after its deletion`).toBe(
      false,
    );
    const [old, fresh] = [before?.metadata.resourceVersion, after.metadata.resourceVersion];
    if (old && fresh) expect(compareVersions(fresh, old), 'resourceVersion decreased').toBeGreaterThan(0);
    this.objects.set(key, after);
  }
}

async function play(script: Action[], initialEvents: boolean, silentLosses: boolean): Promise<void> {
  // With silent losses the periodic relist must run; without them the test must end before it.
  const settleMs = relistEverySeconds * (silentLosses ? 2_000 : 60);
  const server = new HistoryServer();
  server.servesInitialEvents = initialEvents;
  for (const key of ['shop/a', 'shop/b', 'shop/c']) server.write(key);
  const clock = new ManualClock();
  const reflector = new Reflector<KubeObject>({
    name: 'configs',
    client: server.client,
    resource: configMaps,
    projection: 'metadata',
    transform: keepMetadata,
    indexes: {},
    log: silentLogger,
    clock,
    random: () => 0.5,
    timings: {
      pageSize: 2,
      relistEverySeconds,
      silenceMs: 10_000,
      initialSilenceMs: 5_000,
      backoff: { initialMs: 50, maxMs: 1_000 },
    },
  });
  const replica = new Replica({ mayReturn: silentLosses });
  const errors: unknown[] = [];
  reflector.subscribe((change) => {
    try {
      replica.hear(change);
    } catch (error) {
      errors.push(error);
    }
  });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  const written: (KubeObject | undefined)[] = [];
  /** Key → version of the newest response. The cache must show it, or something newer, until the object is deleted. */
  const promised = new Map<string, string>();

  for (const action of script) {
    switch (action.do) {
      case 'write':
        server.write(action.key);
        written.push(server.state().get(action.key));
        break;
      case 'answer': {
        const object = written.at(-action.from);
        if (object === undefined) break;
        reflector.note(object);
        const key = keyOf(object);
        const { uid, resourceVersion = '' } = object.metadata;
        const isThere = server.state().get(key)?.metadata.uid === uid;
        const isNewer = compareVersions(resourceVersion, promised.get(key) ?? '1') > 0;
        if (!silentLosses && reflector.health().synced && isThere && isNewer)
          promised.set(key, resourceVersion);
        break;
      }
      case 'delete':
        server.delete(action.key);
        promised.delete(action.key);
        break;
      case 'stream':
        server.streamFaults.push(...action.faults);
        break;
      case 'request':
        server.requestFaults.push(...action.faults);
        break;
      case 'wait':
        await clock.advance(action.ms);
        break;
      case 'compact':
        server.compact();
        break;
      case 'hold':
      case 'release':
        server.hold(action.do === 'hold');
        break;
      case 'refresh':
        reflector.refresh().catch(() => {});
        break;
    }
    for (const [key, version] of promised) {
      const cached = reflector.cache.versionOf(key);
      expect(cached === undefined ? -1 : compareVersions(cached, version), key).toBeGreaterThanOrEqual(0);
    }
  }
  server.streamFaults = [];
  server.requestFaults = [];
  server.hold(false);
  await clock.advance(settleMs);

  expect(errors).toEqual([]);
  expect(reflector.health()).toMatchObject({ synced: true });
  expect(reflector.health()).not.toHaveProperty('failingForSeconds');
  const ofServer = new Map([...server.state()].map(([key, object]) => [key, object.metadata]));
  const ofCache = new Map([...reflector.cache.entries()].map(([key, object]) => [key, object.metadata]));
  expect(ofCache).toEqual(ofServer);
  expect(new Map(reflector.cache.entries())).toEqual(replica.objects);

  stop.abort();
  await running;
  expect(server.openStreams).toBe(0);
  expect(clock.pending).toBe(0);
}

test('after faults that a client can notice, the cache equals the server without any periodic reading', async () => {
  await fc.assert(
    fc.asyncProperty(actions(visible), fc.boolean(), (script, initialEvents) =>
      play(script, initialEvents, false),
    ),
    { numRuns: 400 },
  );
}, 60_000);

test('after any faults, silent losses among them, the periodic reading makes the cache equal the server', async () => {
  await fc.assert(
    fc.asyncProperty(actions([...visible, 'swap', 'lose']), fc.boolean(), (script, initialEvents) =>
      play(script, initialEvents, true),
    ),
    { numRuns: 400 },
  );
}, 60_000);
