import type { KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, expect, test } from 'vitest';
import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { Notifier } from './notifier.ts';
import type { PostResponse } from './post.ts';
import type { Target, Targets } from './targets.ts';

const start = Date.UTC(2026, 0, 1);
const minute = 60_000;
const at = (ms: number) => new Date(start + ms).toISOString();

/** The API server, as far as the record of deliveries needs it. */
class RecordStore {
  data: Record<string, string> | undefined;
  isDown = false;
  hangs = false;
  writes = 0;
  readonly client = {
    get: async (_: unknown, __: unknown, { signal }: { signal: AbortSignal }) => {
      if (this.hangs)
        await new Promise((_resolve, reject) => {
          signal.throwIfAborted();
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      this.#answer();
      if (this.data === undefined)
        throw new ApiError(404, { reason: 'NotFound', message: 'not found' } as never);
      return { metadata: {}, data: this.data };
    },
    create: async (_: unknown, { data }: { data: Record<string, string> }) => this.#write(data),
    patch: async (_: unknown, __: unknown, { body }: { body: { data: Record<string, string> } }) =>
      this.#write(body.data),
  } as unknown as KubeClient;

  #answer(): void {
    if (this.isDown) throw new Error('the API server is down');
  }

  #write(data: Record<string, string>): void {
    this.#answer();
    this.data = data;
    this.writes += 1;
  }
}

/** A cache of rollouts that a test changes. */
class Rollouts {
  readonly #all = new Map<string, ConfigRollout>();
  readonly #handlers = new Set<(change: Change<ConfigRollout>) => void>();
  readonly cache = { get: (key: string) => this.#all.get(key), entries: () => this.#all.entries() };

  subscribe(handler: (change: Change<ConfigRollout>) => void): () => void {
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  set(name: string, status: ConfigRolloutStatus): void {
    const key = `shop/configmap-${name}`;
    const metadata = { namespace: 'shop', name: `configmap-${name}`, uid: name };
    const spec = { config: { kind: 'ConfigMap', name } };
    this.#all.set(key, { metadata, spec, status } as ConfigRollout);
    for (const handler of this.#handlers) handler({ key });
  }
}

const target = (name: string, fields: Partial<Target> = {}): Target => ({
  ...{ name, url: new URL(`https://hooks.example/${name}`), format: 'cloudevents', timeoutMs: 1_000 },
  ...{ signingKeys: [], namespaces: undefined, outcomes: undefined, ca: undefined },
  ...fields,
});
const ended = (version: string, ms: number, result = 'Current') => ({
  ...{ version, result, startedAt: at(ms), finishedAt: at(ms), activation: `act-${version}` },
});
const stalledSince = (ms: number): ConfigRolloutStatus => ({
  conditions: [
    { type: 'Stalled', status: 'True', reason: 'KeyMissing', message: '', lastTransitionTime: at(ms) },
  ],
});

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Leads with these targets. */
async function lead(clock: ManualClock, store: RecordStore, rollouts: Rollouts, ...targets: Target[]) {
  const sent: string[] = [];
  let answer: (name: string) => number = () => 200;
  const stop = new AbortController();
  const listeners = new Set<() => void>();
  let current: Targets = { cluster: undefined, targets };
  const notifier = new Notifier({
    ...{ client: store.client, clock, log: silentLogger, metrics: createRegistry(), stalledForMs: minute },
    record: { namespace: 'trimtab-system', name: 'trimtab-notifications' },
    file: {
      current: () => current,
      onChange(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    send: async ({ url, body }): Promise<PostResponse> => {
      const { type, data } = JSON.parse(body);
      const name = url.pathname.slice(1);
      const status = answer(name);
      if (status === 200) sent.push(`${name} ${type.split('.').at(-1)} ${data.config.name} ${data.version}`);
      return { status, retryAfter: undefined };
    },
  });
  const running = notifier.run(rollouts, stop.signal);
  const end = async () => {
    stop.abort();
    await running;
  };
  stops.push(end);
  await clock.advance(0);
  return {
    sent,
    end,
    answers: (each: (name: string) => number) => {
      answer = each;
    },
    retarget: async (...next: Target[]) => {
      current = { cluster: undefined, targets: next };
      for (const listener of listeners) listener();
      await clock.advance(0);
    },
  };
}

test('a new target gets no outcomes of the past, and each later one once', async () => {
  const [clock, store, rollouts] = [new ManualClock(start), new RecordStore(), new Rollouts()];
  rollouts.set('foo', { history: [ended('1.0.1', -minute)] });
  const leader = await lead(clock, store, rollouts, target('chat'));
  await clock.advance(minute);
  const history = [ended('1.0.2', minute), ended('1.0.1', -minute)];
  for (let i = 0; i < 3; i += 1) rollouts.set('foo', { history });
  await clock.advance(minute);
  expect(leader.sent).toEqual(['chat current foo 1.0.2']);
});

test('the next leader sends what the last one has not, to each target, and repeats nothing', async () => {
  const [clock, store, rollouts] = [new ManualClock(start), new RecordStore(), new Rollouts()];
  const first = await lead(clock, store, rollouts, target('up'), target('down'));
  first.answers((name) => (name === 'up' ? 200 : 503));
  rollouts.set('foo', { history: [ended('1.0.1', 0)] });
  await clock.advance(20 * minute);
  rollouts.set('bar', { history: [ended('1.0.1', 20 * minute)] });
  await clock.advance(minute);
  expect(first.sent).toEqual(['up current foo 1.0.1', 'up current bar 1.0.1']);
  await first.end();

  const second = await lead(clock, store, rollouts, target('up'), target('down'));
  await clock.advance(minute);
  expect(second.sent).toEqual(['down current foo 1.0.1', 'down current bar 1.0.1']);
});

test('what a target does not want advances its record without hiding an older outcome of another rollout', async () => {
  const [clock, store, rollouts] = [new ManualClock(start), new RecordStore(), new Rollouts()];
  const failures = target('chat', { outcomes: ['rolled-back'] });
  const first = await lead(clock, store, rollouts, failures);
  first.answers(() => 503);
  rollouts.set('z', { history: [ended('1.0.1', 0, 'RolledBack')] });
  await clock.advance(30 * minute);
  await first.end();

  // The cache lists the other rollout first.
  const later = new Rollouts();
  later.set('a', { history: [ended('1.0.9', 29 * minute)] });
  later.set('z', { history: [ended('1.0.1', 0, 'RolledBack')] });
  const second = await lead(clock, store, later, failures);
  await clock.advance(2 * minute);
  expect(second.sent).toEqual(['chat rolled-back z 1.0.1']);
  await second.end();

  const third = await lead(clock, store, later, target('chat'));
  await clock.advance(minute);
  expect(third.sent).toEqual([]);
});

test('a rollout that is stalled is reported after a minute, unless it goes on before', async () => {
  const [clock, store, rollouts] = [new ManualClock(start), new RecordStore(), new Rollouts()];
  const leader = await lead(clock, store, rollouts, target('chat'));
  rollouts.set('short', stalledSince(0));
  rollouts.set('long', stalledSince(0));
  await clock.advance(minute / 2);
  rollouts.set('short', {});
  await clock.advance(minute / 2 - 1);
  expect(leader.sent).toEqual([]);
  await clock.advance(1);
  expect(leader.sent).toEqual(['chat stalled long undefined']);
  await clock.advance(60 * minute);
  expect(leader.sent).toHaveLength(1);
});

test('targets can be added and removed while the controller runs', async () => {
  const [clock, store, rollouts] = [new ManualClock(start), new RecordStore(), new Rollouts()];
  const leader = await lead(clock, store, rollouts, target('old'));
  rollouts.set('foo', { history: [ended('1.0.1', 0)] });
  await clock.advance(10 * minute);
  await leader.retarget(target('new'));
  rollouts.set('foo', { history: [ended('1.0.2', 11 * minute), ended('1.0.1', 0)] });
  await clock.advance(minute);
  expect(leader.sent).toEqual(['old current foo 1.0.1', 'new current foo 1.0.2']);
  expect(Object.keys(JSON.parse(store.data?.['deliveries.json'] ?? '{}'))).toEqual(['new']);
});

test('while the record cannot be read nothing is sent, and a write that fails is repeated', async () => {
  const [clock, store, rollouts] = [new ManualClock(start), new RecordStore(), new Rollouts()];
  store.isDown = true;
  const leader = await lead(clock, store, rollouts, target('chat'));
  await clock.advance(10_000);
  store.isDown = false;
  await clock.advance(3_000);
  rollouts.set('foo', { history: [ended('1.0.1', 13_000)] });
  store.isDown = true;
  await clock.advance(10_000);
  expect(leader.sent).toEqual(['chat current foo 1.0.1']);
  store.isDown = false;
  await clock.advance(3_000);
  expect(store.data?.['deliveries.json']).toContain('act-1.0.1-current');
});

test('many outcomes are recorded with one write', async () => {
  const [clock, store, rollouts] = [new ManualClock(start), new RecordStore(), new Rollouts()];
  const leader = await lead(clock, store, rollouts, target('chat'));
  const before = store.writes;
  for (let i = 0; i < 50; i += 1) rollouts.set(`config-${i}`, { history: [ended('1.0.1', 0)] });
  await clock.advance(minute);
  expect(leader.sent).toHaveLength(50);
  expect(store.writes - before).toBe(1);
});

test('a leader that loses its Lease stops although the API server does not answer', async () => {
  const [clock, store, rollouts] = [new ManualClock(start), new RecordStore(), new Rollouts()];
  const leader = await lead(clock, store, rollouts, target('chat'));
  store.hangs = true;
  rollouts.set('foo', { history: [ended('1.0.1', 0)] });
  await clock.advance(5_000);
  const began = performance.now();
  await leader.end();
  expect(performance.now() - began).toBeLessThan(4_000);
});
