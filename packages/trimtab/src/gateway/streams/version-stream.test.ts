import type { ServerResponse } from 'node:http';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { beforeEach, expect, test } from 'vitest';
import { StatusError } from '../answer/status-error.ts';
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
  writeHead() {
    this.headersSent = true;
  }
  flushHeaders() {}
  write(line: Buffer | string) {
    this.lines.push(line.toString().trim());
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
let now: () => AppliedVersion | undefined;
let failures: string[];

beforeEach(() => {
  response = new FakeResponse();
  clock = new ManualClock();
  failures = [];
});

const applied = (n: number, managed = true): AppliedVersion => ({
  key: `v${n}`,
  resourceVersion: String(n),
  managed,
  read: async () => new WatchPayload({ n }),
});

function stream({ bookmarks = true, ...source }: { bookmarks?: boolean; isCached?: true } = {}) {
  return new VersionStream({
    response: response as unknown as ServerResponse,
    source: { ...source, now: async () => now() },
    kind: 'ConfigMap',
    bookmarks,
    clock,
    signal: new AbortController().signal,
    maxBufferBytes: 100,
    failed: (code) => failures.push(code),
    onUnmanaged() {},
  });
}

const told = () =>
  response.lines
    .map((line) => JSON.parse(line))
    .map(({ type, object }) => `${type} ${object.n ?? ''}`.trim());

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
  read.resolve(new WatchPayload({ n: 1 }));
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
  response.writableLength = 90;
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
  const shown = new WatchPayload({ n: 1 });
  expect(shown.line('MODIFIED')).toBe(shown.line('MODIFIED'));
});
