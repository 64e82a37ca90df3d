import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterAccess } from '../src/access.ts';
import type { KubeClient } from '../src/client.ts';
import type { ObjectReference } from '../src/events/event-object.ts';
import { createEventRecorder, type EventRecorder } from '../src/events/recorder.ts';
import { silentLogger } from '../src/log/silent-logger.ts';
import { createRegistry, type Registry } from '../src/metrics/metrics.ts';
import { configMaps, events, namespaces } from '../src/resource.ts';
import { httpClient } from '../src/transport/http-client.ts';
import type { KubeObject } from '../src/wire.ts';

interface ShownEvent extends KubeObject {
  count: number;
  message: string;
  reason: string;
}

let engine: Engine;
let admin: KubeClient;
let namespace: string;
let metrics: Registry;
let recorder: EventRecorder;
let undo: (() => unknown)[];
let objects = 0;

beforeAll(async () => {
  engine = await currentEngine();
  admin = await engine.connect();
  namespace = await engine.namespace();
});

beforeEach(async () => {
  undo = [];
  recorder = recorderOf(await engine.access());
});

afterEach(async () => {
  await recorder.close();
  for (const step of undo.reverse()) await step();
});

afterAll(() => engine.close());

function recorderOf(access: ClusterAccess): EventRecorder {
  metrics = createRegistry();
  const client = httpClient({ access, log: silentLogger });
  undo.push(() => client.close());
  return createEventRecorder({ client, component: 'trimtab-controller', log: silentLogger, metrics });
}

/** Creates a new ConfigMap for each test, so no test sees events of another. */
async function aConfigMap(): Promise<ObjectReference & { namespace: string }> {
  const name = `foo-${objects++}`;
  const created = await admin.create<KubeObject>(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name },
  });
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace,
    name,
    uid: created.metadata.uid ?? '',
  };
}

async function eventsOf(about: ObjectReference): Promise<ShownEvent[]> {
  const fieldSelector = `involvedObject.name=${about.name}`;
  const { items } = await admin.list<ShownEvent>(events, {
    namespace: about.namespace ?? 'default',
    fieldSelector,
  });
  return items;
}

/** Waits until the events of the object have exactly these messages and counts. */
async function shows(about: ObjectReference, expected: Record<string, number>): Promise<ShownEvent[]> {
  return waitFor(`events of ${about.name} to be ${JSON.stringify(expected)}`, async () => {
    const found = await eventsOf(about);
    const seen = Object.fromEntries(found.map(({ message, count }) => [message, count]));
    const met = found.length === Object.keys(expected).length && sameCounts(seen, expected);
    return met ? { met: found } : { seen: JSON.stringify(seen) };
  });
}

function sameCounts(seen: Record<string, number>, expected: Record<string, number>): boolean {
  return Object.entries(expected).every(([message, count]) => seen[message] === count);
}

async function counted(outcome: string): Promise<void> {
  await waitFor(`an event to be counted as ${outcome}`, async () => {
    const text = metrics.render();
    return text.includes(`outcome="${outcome}"`) ? { met: true } : { seen: text };
  });
}

describe('kubectl shows', () => {
  it('an event with its count, in `describe` and in `events`', async () => {
    const foo = await aConfigMap();
    for (let n = 1; n <= 3; n++) {
      recorder.event(foo, 'Warning', 'RolledBack', 'version 1.0.1 made pods unhealthy');
      await shows(foo, { 'version 1.0.1 made pods unhealthy': n });
    }
    const described = await kubectl(engine, ['describe', 'configmap', foo.name], { namespace });
    expect(described.stdout).toMatch(
      /Warning +RolledBack +\S+ \(x3 over \S+\) +trimtab-controller +version 1\.0\.1 made pods unhealthy/,
    );
    const listed = await kubectl(engine, ['events', '--for', `configmap/${foo.name}`], { namespace });
    expect(listed.stdout).toMatch(
      /\(x3 over \S+\) +Warning +RolledBack +ConfigMap\/foo-\d+ +version 1\.0\.1/,
    );
  });

  it('events of an object that lives in no namespace', async () => {
    const { metadata } = await admin.get(namespaces, { name: namespace });
    const about = { apiVersion: 'v1', kind: 'Namespace', name: namespace, uid: metadata.uid ?? '' };
    recorder.event(about, 'Normal', 'Watched', 'this namespace is watched');
    const [event] = await shows(about, { 'this namespace is watched': 1 });
    undo.push(() => admin.delete(events, { namespace: 'default', name: event?.metadata.name ?? '' }));
    const { stdout } = await kubectl(engine, ['events', '--for', `namespace/${namespace}`], {
      namespace: 'default',
    });
    expect(stdout).toContain('this namespace is watched');
  });
});

it('many that differ only in their message are combined', async () => {
  const foo = await aConfigMap();
  const expected: Record<string, number> = {};
  for (let n = 0; n < 9; n++) expected[`attempt ${n}`] = 1;
  expected['(combined from similar events): attempt 11'] = 3;
  for (let n = 0; n < 12; n++) recorder.event(foo, 'Normal', 'Retried', `attempt ${n}`);
  await shows(foo, expected);
});

it('a message that is too long is cut', async () => {
  const foo = await aConfigMap();
  recorder.event(foo, 'Normal', 'Talked', 'ü'.repeat(1_000));
  const [event] = await shows(foo, { [`${'ü'.repeat(510)}…`]: 1 });
  expect(Buffer.byteLength(event?.message ?? '')).toBeLessThanOrEqual(1024);
});

it('an event that somebody deleted is made anew', async () => {
  const foo = await aConfigMap();
  recorder.event(foo, 'Normal', 'Activated', 'version 1 is current');
  const [event] = await shows(foo, { 'version 1 is current': 1 });
  await admin.delete(events, { namespace, name: event?.metadata.name ?? '' });
  recorder.event(foo, 'Normal', 'Activated', 'version 1 is current');
  await shows(foo, { 'version 1 is current': 2 });
});

it('a namespace that goes away is no trouble', async () => {
  const going = await engine.namespace();
  // A finalizer keeps the namespace terminating during the test.
  const metadata = { namespace: going, name: 'held', finalizers: ['trimtab.dev/test'] };
  await admin.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  undo.push(() =>
    admin.patch(
      configMaps,
      { namespace: going, name: 'held' },
      { type: 'merge', body: { metadata: { finalizers: null } } },
    ),
  );
  await admin.delete(namespaces, { name: going });
  const held = { apiVersion: 'v1', kind: 'ConfigMap', namespace: going, name: 'held' };
  recorder.event(held, 'Normal', 'Late', 'too late');
  await counted('namespace_gone');
  const missing = { ...held, namespace: 'there-is-no-such-namespace' };
  recorder.event(missing, 'Normal', 'Late', 'too late');
  await recorder.close();
  expect(metrics.render()).toContain('outcome="namespace_gone"} 2');
});

it('what the caller may not write is dropped, and the caller goes on', async () => {
  const foo = await aConfigMap();
  recorder = recorderOf(await engine.access({ user: 'nobody@example.com' }));
  recorder.event(foo, 'Normal', 'Forbidden', 'nobody reads this');
  await counted('failed');
  expect(await eventsOf(foo)).toEqual([]);
});

describe('through a bad network', () => {
  it.each([
    ['a write is lost', 'create', { kind: 'fail-before' }],
    ['the answer to a write is lost', 'create', { kind: 'fail-after' }],
    ['the server fails', 'create', { kind: 'status', code: 500 }],
    ['the answer to a count is lost', 'patch', { kind: 'fail-after' }],
  ] as const)('an event is counted right when %s', async (_story, verb, fault) => {
    const foo = await aConfigMap();
    const proxy = await FaultProxy.start({ access: await engine.access() });
    undo.push(() => proxy.close());
    recorder = recorderOf({
      server: proxy.url,
      namespace,
      tls: async () => ({}),
      headers: async () => ({}),
      invalidate() {},
    });
    proxy.inject({ when: { verb, resource: 'events' }, fault });
    recorder.event(foo, 'Normal', 'Activated', 'version 1 is current');
    await shows(foo, { 'version 1 is current': 1 });
    recorder.event(foo, 'Normal', 'Activated', 'version 1 is current');
    await shows(foo, { 'version 1 is current': 2 });
    proxy.assertFired();
  });
});
