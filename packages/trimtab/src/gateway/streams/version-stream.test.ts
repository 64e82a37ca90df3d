import type { ServerResponse } from 'node:http';
import { queryObjects } from 'node:v8';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { StatusError } from '../answer/status-error.ts';
import { UnsentBudget } from '../limits/unsent-budget.ts';
import type { AppliedVersion } from './version-source.ts';
import { VersionStream } from './version-stream.ts';
import { WatchPayload } from './watch-payload.ts';

class FakeResponse {
  headersSent = false;
  destroyed = false;
  writableLength = 0;
  ended = false;
  lines: string[] = [];
  socket = undefined;
  /** Whether the client takes what is written. */
  isRead = true;
  taken: (() => void)[] = [];
  writeHead() {
    this.headersSent = true;
  }
  flushHeaders() {}
  write(line: Buffer | string, onSent = () => {}) {
    this.lines.push(line.toString().trim());
    if (this.isRead) onSent();
    else this.taken.push(onSent);
  }
  end() {
    this.ended = true;
  }
  destroy() {
    this.destroyed = true;
  }
}

let response: FakeResponse;
let clock: ManualClock;
let budget: UnsentBudget;
let now: () => AppliedVersion | undefined;
let failures: string[];

beforeEach(() => {
  response = new FakeResponse();
  clock = new ManualClock();
  failures = [];
  budget = new UnsentBudget();
});

const object = (n: number) => ({ metadata: { name: 'foo', version: `${n}` }, data: { n: `${n}` } });
const applied = (n: number, managed = true): AppliedVersion => ({
  key: `v${n}`,
  resourceVersion: String(n),
  managed,
  read: async () => new WatchPayload(object(n)),
});

function stream({
  bookmarks = true,
  to = response,
  ...source
}: {
  bookmarks?: boolean;
  isCached?: true;
  to?: Pick<FakeResponse, 'write'>;
} = {}) {
  return new VersionStream({
    response: to as unknown as ServerResponse,
    unsent: budget.open('alice', '192.0.2.1'),
    source: { ...source, now: async () => now() },
    kind: 'ConfigMap',
    bookmarks,
    clock,
    signal: new AbortController().signal,
    failed: (code) => failures.push(code),
    maxBufferBytes: 150,
    onUnmanaged() {},
  });
}

const told = () =>
  response.lines
    .map((line) => JSON.parse(line))
    .map(({ type, object }) => `${type} ${object.metadata?.version ?? ''}`.trim());

test('a reader is told what there is, and then what changes and nothing else', async () => {
  const it = stream();
  now = () => applied(1);
  await it.start(applied(1), undefined);
  it.hint();
  await clock.advance(0);
  now = () => applied(2);
  it.hint();
  it.hint();
  await clock.advance(0);
  expect(told()).toEqual(['ADDED 1', 'MODIFIED 2']);
});

test.each([
  ['has seen everything is told nothing', '5', []],
  ['has seen less is told the outcome', '4', ['MODIFIED 5']],
])('a reader who %s', async (_, from, lines) => {
  await stream().start(applied(5), from);
  expect(told()).toEqual(lines);
});

test('a reader who has seen more than there is gets a 410 before the watch starts', async () => {
  await expect(stream().start(applied(5), '6')).rejects.toMatchObject({
    body: { code: 410, reason: 'Expired', message: expect.stringContaining('without resourceVersion') },
  });
  expect(response.headersSent).toBe(false);
});

test('a reader who has seen more than this replica waits until the replica has seen it, too', async () => {
  now = () => applied(5);
  const it = stream({ isCached: true });
  const starting = it.start(applied(5), '7');
  await clock.advance(2_000);
  expect(response.headersSent).toBe(false);
  now = () => applied(6);
  await clock.advance(500);
  expect(response.headersSent).toBe(false);
  now = () => applied(8);
  await clock.advance(100);
  await starting;
  expect(told()).toEqual(['MODIFIED 8']);
});

test('a replica that does not catch up answers 410 after 3 s', async () => {
  now = () => applied(5);
  const refused = expect(stream({ isCached: true }).start(applied(5), '7')).rejects.toMatchObject({
    body: { code: 410 },
  });
  await clock.advance(2_900);
  expect(clock.pending).toBe(1);
  await clock.advance(200);
  await refused;
  expect(clock.pending).toBe(0);
});

test('a watch that ends while the replica catches up starts no response', async () => {
  now = () => applied(5);
  const it = stream({ isCached: true });
  const starting = it.start(applied(5), '7');
  await clock.advance(1_000);
  it.end();
  now = () => applied(7);
  await clock.advance(100);
  await starting;
  expect([response.headersSent, response.ended, told()]).toEqual([false, true, []]);
});

test('what changes while the first answer is being read is not missed', async () => {
  const it = stream();
  now = () => applied(2);
  const read = Promise.withResolvers<WatchPayload>();
  const starting = it.start({ ...applied(1), read: () => read.promise }, undefined);
  it.hint();
  read.resolve(new WatchPayload(object(1)));
  await starting;
  await clock.advance(0);
  expect(told()).toEqual(['ADDED 1', 'MODIFIED 2']);
});

test('a config that goes and comes back is told so', async () => {
  const it = stream();
  await it.start(applied(1), undefined);
  now = () => undefined;
  it.hint();
  await clock.advance(0);
  now = () => applied(2);
  it.hint();
  await clock.advance(0);
  expect(told()).toEqual(['ADDED 1', 'DELETED 1', 'ADDED 2']);
});

test('a deletion names the object and does not repeat its content', async () => {
  const it = stream();
  const secret = {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque' },
    metadata: { ...object(1).metadata, namespace: 'shop', uid: 'u', annotations: { a: 'b' } },
    data: { password: 'aHVudGVyMg==' },
  };
  await it.start({ ...applied(1), read: async () => new WatchPayload(secret) }, undefined);
  now = () => undefined;
  it.hint();
  await clock.advance(0);
  expect(JSON.parse(response.lines[1] ?? '')).toEqual({
    type: 'DELETED',
    object: {
      ...{ apiVersion: 'v1', kind: 'Secret' },
      metadata: { name: 'foo', namespace: 'shop', uid: 'u', version: '1' },
    },
  });
});

describe('the memory of watches', () => {
  const large = 'x'.repeat(900_000);
  const largeVersion = (n: number): AppliedVersion => ({
    ...applied(n),
    read: async () => new WatchPayload({ ...object(n), data: { large } }),
  });
  const payload = new WatchPayload({ ...object(1), data: { large } });
  const [added, modified] = [payload.line('ADDED').length, payload.line('MODIFIED').length];

  class Reader extends FakeResponse {
    bytes = 0;
    override write(line: Buffer | string, onSent = () => {}) {
      this.bytes += line.length;
      super.write('', onSent);
    }
  }

  test('of 200 watches of one person is given back when a config of 900 kB is sent', async () => {
    const readers = Array.from({ length: 200 }, () => new Reader());
    const streams = readers.map((to) => stream({ to }));
    for (const it of streams) await it.start(largeVersion(1), undefined);
    now = () => largeVersion(2);
    for (const it of streams) it.hint();
    await clock.advance(0);
    expect(new Set(readers.map(({ bytes }) => bytes))).toEqual(new Set([added + modified]));
    expect(queryObjects(WatchPayload, { format: 'count' })).toBeLessThan(10);
    expect(budget.used).toBe(0);
  });

  test('is limited for a person whose clients do not read: further watches are refused', async () => {
    const readers = Array.from({ length: 200 }, () => Object.assign(new Reader(), { isRead: false }));
    const outcomes = await Promise.allSettled(
      readers.map((to) => stream({ to }).start(largeVersion(1), undefined)),
    );
    const refused = outcomes.filter((each) => each.status === 'rejected');
    expect(refused.length).toBeGreaterThan(150);
    expect(refused[0]?.reason.body).toMatchObject({ code: 429, reason: 'TooManyRequests' });
    expect(budget.used).toBeLessThanOrEqual(32 * 2 ** 20);
    expect(readers.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(budget.used);
  });

  test('delays the change of a watch until there is room, and it gets the latest one', async () => {
    const readers = Array.from({ length: 40 }, () => new Reader());
    const streams = readers.map((to) => stream({ to }));
    for (const it of streams) await it.start(applied(1), undefined);
    for (const reader of readers) reader.isRead = false;
    let reads = 0;
    now = () => {
      reads += 1;
      return largeVersion(2);
    };
    for (const it of streams) it.hint();
    await clock.advance(0);
    expect(budget.used).toBe(37 * modified);
    expect(reads).toBe(40);
    // A watch that waits reads nothing until there is room.
    await clock.advance(3_000);
    expect([reads, budget.used]).toEqual([40, 37 * modified]);
    now = () => largeVersion(3);
    for (const { taken } of readers) for (const done of taken) done();
    await clock.advance(1_000);
    expect(readers.filter(({ bytes }) => bytes > modified)).toHaveLength(40);
    expect(clock.pending).toBe(0);
  });

  test('does not keep back a change of usual size from a client that has read the last one', async () => {
    budget.open('alice', '192.0.2.1').note(64 * 2 ** 20);
    const it = stream();
    await it.start(applied(1), undefined);
    now = () => applied(2);
    it.hint();
    await clock.advance(0);
    expect(told()).toEqual(['ADDED 1', 'MODIFIED 2']);
  });
});

test('a cluster that does not answer is asked again, and the stream stays open', async () => {
  const it = stream();
  await it.start(applied(1), undefined);
  now = () => {
    throw new NetworkError('ECONNREFUSED', 'no', 'down');
  };
  it.hint();
  await clock.advance(500);
  expect(response.ended).toBe(false);
  expect(failures).toEqual(['ECONNREFUSED']);
  now = () => applied(2);
  await clock.advance(600);
  expect(told()).toEqual(['ADDED 1', 'MODIFIED 2']);
  expect(failures).toHaveLength(1);
});

test('a reader whom the cluster refuses is told, and let go', async () => {
  const it = stream();
  await it.start(applied(1), undefined);
  now = () => {
    throw new StatusError(403, 'Forbidden', 'no more');
  };
  it.hint();
  await clock.advance(0);
  expect(JSON.parse(response.lines[1] ?? '')).toMatchObject({
    type: 'ERROR',
    object: { kind: 'Status', code: 403 },
  });
  expect(response.ended).toBe(true);
  expect(clock.pending).toBe(0);
});

test('a bookmark tells how far everything was seen, also what made no difference', async () => {
  const it = stream();
  now = () => applied(1);
  await it.start(applied(1), undefined);
  it.advanced('9');
  it.heartbeat();
  expect(JSON.parse(response.lines[1] ?? '')).toEqual({
    type: 'BOOKMARK',
    object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '9' } },
  });
});

test('who did not ask for bookmarks gets none', async () => {
  const it = stream({ bookmarks: false });
  now = () => applied(1);
  await it.start(applied(1), undefined);
  it.heartbeat();
  await clock.advance(0);
  expect(told()).toEqual(['ADDED 1']);
});

test('a reader who is too slow is dropped and not waited for', async () => {
  const it = stream();
  await it.start(applied(1), undefined);
  response.writableLength = 140;
  now = () => applied(2);
  it.hint();
  await clock.advance(0);
  expect(response.destroyed).toBe(true);
  expect(told()).toEqual(['ADDED 1']);
});

test('a reader who has not read a byte between two beats is dropped', async () => {
  const it = stream();
  now = () => applied(1);
  await it.start(applied(1), undefined);
  response.writableLength = 1;
  it.heartbeat();
  expect(response.destroyed).toBe(false);
  it.heartbeat();
  expect(response.destroyed).toBe(true);
});

test('what many readers get is written as text once', () => {
  const shown = new WatchPayload(object(1));
  expect(shown.line('MODIFIED')).toBe(shown.line('MODIFIED'));
});
