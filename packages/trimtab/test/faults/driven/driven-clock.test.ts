import { sleep } from '@trimtab/kube/clock.ts';
import { expect, test } from 'vitest';
import { DrivenClock } from './driven-clock.ts';
import { ProcessClock } from './process-clock.ts';

test('an hour passes at once when nobody works, and timers fire in their order', async () => {
  const clock = new DrivenClock();
  const fired: string[] = [];
  clock.after(2_000, () => fired.push('second'));
  clock.after(1_000, () => fired.push('first'));
  await clock.during(sleep(clock, 3_600_000).then(() => fired.push('last')));
  expect(fired).toEqual(['first', 'second', 'last']);
  expect(clock.time).toBe(3_600_000);
});

test('a wait for the rest of a fraction ends', async () => {
  const clock = new DrivenClock();
  await clock.during(sleep(clock, 1_234_567.1));
  const end = clock.monotonic() + 0.1;
  const rest = async () => {
    while (clock.monotonic() < end) await sleep(clock, (end - clock.monotonic()) * 1e-12);
  };
  await clock.during(rest());
  expect(clock.time).toBe(1_234_569);
});

test('time stands still while somebody works', async () => {
  const clock = new DrivenClock();
  clock.after(1, () => {});
  const work = async () => {
    for (let turn = 0; turn < 20; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(clock.monotonic()).toBe(0);
    }
  };
  await clock.during(work());
});

test('a frozen process finds its timers overdue when it wakes, and a killed one has none', async () => {
  const clock = new DrivenClock();
  const [frozen, killed] = [new ProcessClock(clock), new ProcessClock(clock)];
  const fired: string[] = [];
  frozen.after(10, () => fired.push(`frozen, at ${clock.time}`));
  killed.after(10, () => fired.push('killed'));
  frozen.freeze();
  killed.end();
  await clock.pass(100);
  expect(fired).toEqual([]);
  frozen.thaw();
  expect(fired).toEqual(['frozen, at 100']);
});
