import { expect, test } from 'vitest';
import { MountFailures } from './mount-failures.ts';

const told = 'MountVolume.SetUp failed for volume "config" : configmap "x" not found';

test('a failing volume is told of at once, and then ever less often, up to about two minutes', () => {
  const failures = new MountFailures();
  const at: number[] = [];
  for (let now = 0; now < 600_000; now += 500)
    if (failures.failed('config', 'configmap "x" not found', now) === told) at.push(now);
  const gaps = at.slice(1).map((each, index) => each - (at[index] ?? 0));
  expect(gaps).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 122_000, 122_000, 122_000]);
});

test('another problem, another volume, or a volume that had recovered is reported at once', () => {
  const failures = new MountFailures();
  expect(failures.failed('config', 'a', 0)).toBeDefined();
  expect(failures.failed('config', 'a', 1)).toBeUndefined();
  expect(failures.failed('config', 'b', 2)).toBeDefined();
  expect(failures.failed('other', 'b', 3)).toBeDefined();
  failures.succeeded('config');
  expect(failures.failed('config', 'b', 4)).toBeDefined();
});
