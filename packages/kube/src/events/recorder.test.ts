import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeClient } from '../client.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { createRegistry, type Registry } from '../metrics/metrics.ts';
import { ApiError, NetworkError } from '../transport/errors.ts';
import type { KubeObject } from '../wire.ts';
import { createEventRecorder, type EventRecorder } from './recorder.ts';

const foo = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'foo', uid: 'u1' };

/** A server that stores events; each entry of `trouble` determines the fault of one of the next requests. */
class EventServer {
  readonly events = new Map<string, Record<string, unknown>>();
  readonly requests: string[] = [];
  readonly trouble: (Error | 'answer lost' | undefined)[] = [];
  hold: Promise<void> = Promise.resolve();

  client(): KubeClient {
    const unexpected = () => Promise.reject(new Error('not a request of a recorder'));
    return {
      create: async (_resource, object) => {
        await this.#arrive('create', () => {
          const name = object.metadata.name ?? '';
          if (this.events.has(name)) throw refusal(409, 'AlreadyExists');
          this.events.set(name, structuredClone(object) as KubeObject & Record<string, unknown>);
        });
        return object;
      },
      patch: (async (_resource: unknown, where: { name: string }, patch: { body: object }) =>
        this.#arrive('patch', () => {
          const event = this.events.get(where.name);
          if (!event) throw refusal(404, 'NotFound');
          Object.assign(event, patch.body);
        })) as unknown as KubeClient['patch'],
      get: unexpected,
      list: unexpected,
      update: unexpected,
      delete: unexpected,
      watch: unexpected,
      raw: unexpected,
    };
  }

  async #arrive(verb: string, apply: () => void): Promise<void> {
    this.requests.push(verb);
    await this.hold;
    const trouble = this.trouble.shift();
    if (trouble instanceof Error) throw trouble;
    apply();
    if (trouble === 'answer lost') throw new NetworkError('ECONNRESET', 'maybe', 'cut');
  }
}

function refusal(status: number, reason: string, cause?: string): ApiError {
  const details = cause === undefined ? {} : { details: { causes: [{ reason: cause }] } };
  return new ApiError(status, { apiVersion: 'v1', kind: 'Status', reason, ...details });
}

let clock: ManualClock;
let server: EventServer;
let metrics: Registry;
let recorder: EventRecorder;

function start(limits = {}): EventRecorder {
  return createEventRecorder({
    client: server.client(),
    component: 'test-controller',
    instance: 'pod-7',
    log: silentLogger,
    metrics,
    clock,
    limits,
  });
}

beforeEach(() => {
  clock = new ManualClock();
  server = new EventServer();
  metrics = createRegistry();
  recorder = start();
});

afterEach(async () => {
  const closed = recorder.close();
  await clock.advance(2_000);
  await closed;
});

const shown = () => [...server.events.values()].map(({ message, count }) => ({ message, count }));
const counted = (outcome: string) =>
  Number(metrics.render().match(new RegExp(`outcome="${outcome}"} (\\d+)`))?.[1] ?? 0);

it('writes an event', async () => {
  recorder.event(foo, 'Normal', 'Activated', 'version 1 is current');
  await clock.advance(0);
  expect([...server.events.values()]).toMatchObject([
    { involvedObject: foo, count: 1, reason: 'Activated', reportingInstance: 'pod-7' },
  ]);
  expect(counted('created')).toBe(1);
});

it('counts the same event on the server', async () => {
  for (let n = 0; n < 3; n++) {
    recorder.event(foo, 'Normal', 'Activated', 'version 1 is current');
    await clock.advance(1_000);
  }
  expect(shown()).toEqual([{ message: 'version 1 is current', count: 3 }]);
  expect([...server.events.values()][0]).toMatchObject({
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:02Z',
  });
  expect(server.requests).toEqual(['create', 'patch', 'patch']);
});

it('makes one write of what happens while another is under way', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.hold = promise;
  recorder.event(foo, 'Normal', 'Busy', 'working');
  await clock.advance(0);
  for (let n = 0; n < 100; n++) recorder.event(foo, 'Normal', 'Busy', 'working');
  resolve();
  await clock.advance(0);
  expect(server.requests).toEqual(['create', 'patch']);
  expect(shown()).toEqual([{ message: 'working', count: 101 }]);
});

it('does not let an object that talks too much bother the server', async () => {
  for (let n = 0; n < 100; n++) {
    recorder.event(foo, 'Normal', 'Busy', 'working');
    await clock.advance(10);
  }
  expect(server.requests.length).toBe(25);
  expect(counted('spam')).toBe(75);
  await clock.advance(300_000);
  recorder.event(foo, 'Normal', 'Busy', 'working');
  await clock.advance(0);
  expect(shown(), 'what was not written is counted all the same').toEqual([
    { message: 'working', count: 101 },
  ]);
});

describe('when the server does not take it', () => {
  it('tries again, and does not write it twice when only the answer was lost', async () => {
    server.trouble.push(
      new NetworkError('ECONNREFUSED', 'no', 'down'),
      refusal(503, 'ServiceUnavailable'),
      'answer lost',
    );
    recorder.event(foo, 'Normal', 'Activated', 'm');
    await clock.advance(10_000);
    expect(server.requests).toEqual(['create', 'create', 'create', 'create', 'patch']);
    expect(shown()).toEqual([{ message: 'm', count: 1 }]);
  });

  it('drops it after a few tries, and goes on with the next', async () => {
    server.trouble.push(...Array.from({ length: 4 }, () => refusal(500, 'InternalError')));
    recorder.event(foo, 'Normal', 'Activated', 'one');
    recorder.event(foo, 'Normal', 'Activated', 'two');
    await clock.advance(10_000);
    expect(shown()).toEqual([{ message: 'two', count: 1 }]);
    expect(counted('failed')).toBe(1);
  });

  it('drops what is refused at once', async () => {
    server.trouble.push(refusal(403, 'Forbidden'));
    recorder.event(foo, 'Normal', 'Activated', 'one');
    await clock.advance(0);
    expect(server.requests).toEqual(['create']);
    expect(counted('failed')).toBe(1);
  });

  it.each([
    ['goes away', refusal(403, 'Forbidden', 'NamespaceTerminating')],
    ['is gone', refusal(404, 'NotFound')],
  ])('drops it quietly when its namespace %s', async (_story, error) => {
    server.trouble.push(error);
    recorder.event(foo, 'Normal', 'Activated', 'one');
    await clock.advance(0);
    expect(counted('namespace_gone')).toBe(1);
    expect(counted('failed')).toBe(0);
  });

  it('makes an event anew that has expired, with its count', async () => {
    recorder.event(foo, 'Normal', 'Activated', 'one');
    await clock.advance(0);
    const [firstName] = server.events.keys();
    server.events.clear();
    recorder.event(foo, 'Normal', 'Activated', 'one');
    await clock.advance(0);
    expect(shown()).toEqual([{ message: 'one', count: 2 }]);
    expect([...server.events.keys()]).not.toEqual([firstName]);
  });
});

it('drops what does not fit into the queue, and never makes anybody wait', async () => {
  recorder = start({ queued: 3 });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.hold = promise;
  for (let n = 0; n < 10; n++) recorder.event({ ...foo, name: `foo-${n}` }, 'Normal', 'Activated', 'm');
  expect(counted('queue_full')).toBe(7);
  resolve();
  await clock.advance(0);
  expect(server.events.size).toBe(3);
});

it('never fails its caller', () => {
  const odd = undefined as unknown as typeof foo;
  expect(() => recorder.event(odd, 'Normal', 'Activated', 'm')).not.toThrow();
  expect(counted('failed')).toBe(1);
});

describe('when it is closed', () => {
  it('writes what waits, and takes no more', async () => {
    recorder.event(foo, 'Normal', 'Activated', 'm');
    await recorder.close();
    recorder.event(foo, 'Normal', 'Late', 'm');
    await clock.advance(0);
    expect(shown()).toEqual([{ message: 'm', count: 1 }]);
    expect(counted('closed')).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('gives up after a while when the server does not come back', async () => {
    server.trouble.push(...Array.from({ length: 99 }, () => new NetworkError('ECONNREFUSED', 'no', 'down')));
    recorder.event(foo, 'Normal', 'Activated', 'one');
    recorder.event(foo, 'Normal', 'Activated', 'two');
    const closed = recorder.close(300);
    await clock.advance(300);
    await closed;
    expect(counted('failed') + counted('closed')).toBe(2);
  });
});
