import { sleep } from '@trimtab/kube/clock.ts';
import { expect, test } from 'vitest';
import { ManualClock } from './manual-clock.ts';

test('timers fire at their own moment, in the order they fall due', async () => {
  const clock = new ManualClock();
  const fired: string[] = [];
  const note = (name: string) => () => fired.push(`${name}@${clock.monotonic()}`);
  clock.after(30, note('late'));
  clock.after(10, note('early'));
  clock.after(10, note('early too'));
  await clock.advance(29);
  expect(fired).toEqual(['early@10', 'early too@10']);
  await clock.advance(1);
  expect(fired.at(-1)).toBe('late@30');
  expect(clock.pending).toBe(0);
});

test('a timer that was cancelled does not fire', async () => {
  const clock = new ManualClock();
  let fired = 0;
  const cancel = clock.after(10, () => fired++);
  cancel();
  await clock.advance(20);
  expect(fired).toBe(0);
});

test('what a timer sets off runs before time goes on, and its own timers count', async () => {
  const clock = new ManualClock();
  const wakings: number[] = [];
  const loop = (async () => {
    for (let i = 0; i < 3; i++) {
      await sleep(clock, 10);
      wakings.push(clock.monotonic());
    }
  })();
  await clock.advance(100);
  await loop;
  expect(wakings).toEqual([10, 20, 30]);
  expect(clock.monotonic()).toBe(100);
});

test('the wall clock can be set without moving time that was measured', async () => {
  const clock = new ManualClock(1_000_000);
  let fired = false;
  clock.after(10, () => {
    fired = true;
  });
  clock.setWallClock(5_000);
  expect([clock.now(), clock.monotonic(), fired]).toEqual([5_000, 0, false]);
  await clock.advance(10);
  expect([clock.now(), clock.monotonic(), fired]).toEqual([5_010, 10, true]);
});
