import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import { RequestScheduler } from './request-scheduler.ts';

/** Takes slots by name and records which requests run; `ends` frees slots. */
function line(atOnce: number) {
  const clock = new ManualClock();
  const turns = new RequestScheduler(atOnce, clock);
  const ends = new Map<string, () => void>();
  return {
    clock,
    async takes(lowPriority: boolean, ...names: string[]) {
      for (const name of names) void turns.take(lowPriority).then((end) => ends.set(name, end));
      await clock.advance(0);
    },
    async ends(...names: string[]) {
      for (const name of names) {
        ends.get(name)?.();
        ends.delete(name);
      }
      await clock.advance(0);
    },
    running: () => [...ends.keys()],
  };
}

test('so many run at a time, in the order in which they came', async () => {
  const it = line(2);
  await it.takes(false, 'a', 'b', 'c', 'd');
  expect(it.running()).toEqual(['a', 'b']);
  await it.ends('b');
  expect(it.running()).toEqual(['a', 'c']);
});

test('what can wait lets the others go first, one at a time', async () => {
  const it = line(4);
  await it.takes(false, 'edit');
  await it.takes(true, 'status 1', 'status 2', 'status 3');
  await it.takes(false, 'another edit');
  expect(it.running()).toEqual(['edit', 'status 1', 'another edit']);
  await it.ends('status 1');
  expect(it.running()).toEqual(['edit', 'another edit', 'status 2']);
});

test('it goes on as soon as nothing else has happened for a moment', async () => {
  const it = line(4);
  await it.takes(false, 'edit');
  await it.takes(true, 'status 1', 'status 2');
  await it.ends('edit');
  expect(it.running()).toEqual(['status 1']);
  await it.clock.advance(20);
  expect(it.running()).toEqual(['status 1', 'status 2']);
  expect(it.clock.pending).toBe(0);
});

test.each([
  [1, 2],
  [3, 4],
  [60, 8],
])('what has waited for %i s gets %i slots, however busy it is', async (seconds, slots) => {
  const it = line(32);
  await it.takes(false, 'a', 'b');
  await it.takes(true, ...Array.from({ length: 10 }, (_, n) => `status ${n}`));
  await it.clock.advance(seconds * 1_000);
  await it.ends('a');
  expect(it.running()).toHaveLength(1 + slots);
});

test('never are there so many that can wait that others have to', async () => {
  const it = line(32);
  await it.takes(true, ...Array.from({ length: 40 }, (_, n) => `status ${n}`));
  expect(it.running()).toHaveLength(16);
  await it.takes(false, 'edit');
  expect(it.running()).toContain('edit');
});
