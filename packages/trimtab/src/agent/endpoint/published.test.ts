import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { describe, expect, test } from 'vitest';
import { Content } from './content.ts';
import { Published } from './published.ts';

const content = new Content([], Buffer.alloc(32));
const never = new AbortController().signal;

function scene() {
  const clock = new ManualClock();
  const published = new Published(clock);
  const ended: number[] = [];
  const wait = (isDone: () => boolean, ms: number, signal = never) =>
    published.wait(isDone, ms, signal).then(() => void ended.push(clock.monotonic()));
  return { clock, published, ended, wait };
}

describe('a request waits', () => {
  test('until its condition holds', async () => {
    const { clock, published, ended, wait } = scene();
    let changes = 0;
    const waiting = wait(() => changes === 2, 60_000);
    await clock.advance(1_000);
    changes = 1;
    published.publish(content);
    await clock.advance(1_000);
    expect([ended, published.waiting]).toEqual([[], 1]);
    changes = 2;
    published.publish(content);
    await waiting;
    expect([ended, published.waiting, clock.pending]).toEqual([[2_000], 0, 0]);
  });

  test('no longer than its time', async () => {
    const { clock, published, ended, wait } = scene();
    void wait(() => false, 30_000);
    await clock.advance(60_000);
    expect([ended, published.waiting]).toEqual([[30_000], 0]);
  });

  test('no longer than its client', async () => {
    const { clock, published, wait } = scene();
    const gone = new AbortController();
    const waiting = wait(() => false, 30_000, gone.signal);
    gone.abort();
    await waiting;
    expect([published.waiting, clock.pending]).toEqual([0, 0]);
  });

  test('no longer than the agent runs', async () => {
    const { clock, published, wait } = scene();
    const waiting = Promise.all([wait(() => false, 30_000), wait(() => false, 60_000)]);
    published.close();
    await waiting;
    await wait(() => false, 30_000);
    expect([published.isClosed, published.waiting, clock.pending]).toEqual([true, 0, 0]);
  });

  test('not at all when its condition holds already', async () => {
    const { ended, wait, clock } = scene();
    await wait(() => true, 30_000);
    expect([ended, clock.pending]).toEqual([[0], 0]);
  });
});
