import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RolloutSummary } from '../../core/version/applied-version.ts';
import type { PodCaller } from '../request/gateway-request.ts';
import type { PodNames } from './cluster-watches.ts';
import { StreamHub } from './hub.ts';
import type { VersionStream } from './version-stream.ts';

class FakeStream {
  hints = 0;
  beats = 0;
  ended = 0;
  resourceVersion = '';
  hint() {
    this.hints += 1;
  }
  advanced(resourceVersion: string) {
    this.resourceVersion = resourceVersion;
  }
  heartbeat() {
    this.beats += 1;
  }
  end() {
    this.ended += 1;
  }
}

const foo = { kind: 'ConfigMap' as const, namespace: 'shop', name: 'foo' };
const bar = { ...foo, name: 'bar' };
const pod = (uid: string): PodCaller => ({ is: 'pod', namespace: 'shop', name: `web-${uid}`, uid });
const summary = (resourceVersion: string, current: string): RolloutSummary => ({
  uid: 'u',
  resourceVersion,
  current: { version: current, object: `foo-${current}` },
  target: undefined,
});

let clock: ManualClock;
let hub: StreamHub;

beforeEach(() => {
  clock = new ManualClock();
  hub = new StreamHub(clock, 2);
});

function open(address = foo, who?: PodCaller, workload?: string) {
  const stream = new FakeStream();
  return { stream, leave: hub.open(address, stream as unknown as VersionStream, who, workload) };
}

describe('a change of a rollout', () => {
  test('is a hint for those who look at its config, and for nobody else', () => {
    const [its, other] = [open(foo), open(bar)];
    hub.rolloutChanged({ key: 'shop/configmap-foo', before: summary('1', 'a'), after: summary('2', 'b') });
    expect([its.stream.hints, other.stream.hints]).toEqual([1, 0]);
  });

  test('that nobody can see only tells how far they are', () => {
    const { stream } = open();
    hub.rolloutChanged({ key: 'shop/configmap-foo', before: summary('1', 'a'), after: summary('2', 'a') });
    expect([stream.hints, stream.resourceVersion]).toEqual([0, '2']);
  });

  test('that makes or ends it is a hint', () => {
    const { stream } = open();
    hub.rolloutChanged({ key: 'shop/configmap-foo', after: summary('1', 'a') });
    hub.rolloutChanged({ key: 'shop/configmap-foo', before: summary('1', 'a') });
    expect(stream.hints).toBe(2);
  });
});

test('a change of a config that nobody manages is a hint for its kind', () => {
  const { stream } = open();
  hub.configChanged('Secret', { key: 'shop/foo', before: '1', after: '2' });
  expect(stream.hints).toBe(0);
  hub.configChanged('ConfigMap', { key: 'shop/foo', before: '1', after: '2' });
  expect(stream.hints).toBe(1);
});

describe('a pod', () => {
  const names = (uid: string, endedAs?: string): PodNames => ({
    ...{ uid, hasNode: true, endedAs, grants: new Map(), isInjected: false, workload: undefined },
  });

  test('that goes takes its streams along, and nobody else’s', () => {
    const [its, other] = [open(foo, pod('a')), open(foo, pod('b'))];
    hub.podChanged({ key: 'shop/web', before: names('a'), after: names('a') });
    expect(its.stream.ended).toBe(0);
    hub.podChanged({ key: 'shop/web', before: names('a') });
    expect([its.stream.ended, other.stream.ended]).toEqual([1, 0]);
  });

  test('that has ended takes its streams along, once', () => {
    const { stream } = open(foo, pod('a'));
    hub.podChanged({ key: 'shop/web', before: names('a'), after: names('a', 'Succeeded') });
    expect(stream.ended).toBe(1);
    hub.podChanged({ key: 'shop/web', before: names('a', 'Succeeded'), after: names('a', 'Succeeded') });
    expect(stream.ended).toBe(1);
  });

  test('whose name another one has taken over is gone', () => {
    const { stream } = open(foo, pod('a'));
    hub.podChanged({ key: 'shop/web', before: names('a'), after: names('b') });
    expect(stream.ended).toBe(1);
  });

  test('gets so many streams and no more, and another one when it has closed one', () => {
    const first = open(foo, pod('a'));
    open(bar, pod('a'));
    expect(() => open(foo, pod('a'))).toThrow(/2 open watches/);
    open(foo, pod('b'));
    first.leave();
    open(foo, pod('a'));
    expect(hub.size).toBe(3);
  });
});

test('every stream has its turn once in 30 s', async () => {
  const streams = Array.from({ length: 45 }, () => open().stream);
  await clock.advance(30_000);
  expect(new Set(streams.map(({ beats }) => beats))).toEqual(new Set([1]));
});

test('without a stream no timer runs', async () => {
  expect(clock.pending).toBe(0);
  const { leave } = open();
  expect(clock.pending).toBe(1);
  leave();
  await clock.advance(1_000);
  expect(clock.pending).toBe(0);
  const { stream } = open();
  await clock.advance(30_000);
  expect(stream.beats).toBe(1);
});

test('who has left hears nothing more', async () => {
  const { stream, leave } = open(foo, pod('a'));
  leave();
  hub.rolloutChanged({ key: 'shop/configmap-foo', after: summary('1', 'a') });
  hub.podChanged({
    key: 'shop/web',
    before: {
      ...{ uid: 'a', hasNode: true, endedAs: undefined },
      ...{ grants: new Map(), isInjected: false, workload: undefined },
    },
  });
  await clock.advance(30_000);
  expect(stream).toEqual(new FakeStream());
  expect(hub.size).toBe(0);
});

test('when the gateway stops, all streams end, none is opened, and no timer is left', () => {
  const { stream } = open();
  hub.close();
  expect(stream.ended).toBe(1);
  expect(() => open()).toThrow(/shutting down/);
  expect(clock.pending).toBe(0);
});
