import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConfigKey } from '../references/config-key.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { groupConfigs } from './group-configs.ts';

const key = (name: string): ConfigKey => `ConfigMap/${name}`;
const keys = (...names: string[]) => new Set(names.map(key));

/** Each string is a workload and lists its configs: 'ab' uses a and b. */
const uses = (...workloads: string[]) =>
  new Map(
    workloads.map((configs, index): [WorkloadKey, ConfigKey[]] => [
      `Deployment/w${index}`,
      [...configs].map(key),
    ]),
  );

function form(ready: string, workloads: string[], { settling = '', moving = '' } = {}) {
  const sets = groupConfigs({
    ready: keys(...ready),
    coalescing: keys(...settling),
    moving: keys(...moving),
    workloads: uses(...workloads),
  });
  return sets.map((set) => set.map((config) => config.slice('ConfigMap/'.length)).join(''));
}

describe('configs that changed together', () => {
  test.each([
    ['and share a workload are one activation', 'ab', ['ab'], ['ab']],
    ['and share none are activations of their own', 'ab', ['a', 'b'], ['a', 'b']],
    ['are one through a third, when that changed, too', 'abc', ['ab', 'bc'], ['abc']],
    ['are two when what links them did not change', 'ac', ['ab', 'bc'], ['a', 'c']],
    ['need no workload at all', 'a', [], ['a']],
  ])('%s', (_, ready, workloads, expected) => {
    expect(form(ready, workloads)).toEqual(expected);
  });
});

describe('an activation waits', () => {
  test('while one under way moves a workload of its', () => {
    expect(form('a', ['ab'], { moving: 'b' })).toEqual([]);
    expect(form('a', ['a', 'b'], { moving: 'b' })).toEqual(['a']);
  });

  test('while a config that shares a workload is still being edited', () => {
    expect(form('a', ['ab'], { settling: 'b' })).toEqual([]);
  });

  test('as a whole, when one of its configs has to', () => {
    expect(form('abd', ['ab', 'bc', 'd'], { moving: 'c' })).toEqual(['d']);
  });
});

test('no config is in two activations, and no two activations share a workload', () => {
  const names = [...'abcdef'];
  const some = fc.subarray(names).map((chosen) => chosen.join(''));
  fc.assert(
    fc.property(
      some,
      some,
      fc.array(fc.subarray(names, { minLength: 1 }), { maxLength: 6 }),
      (ready, moving, workloads) => {
        const used = workloads.map((configs) => configs.join(''));
        const free = [...ready].filter((config) => !moving.includes(config)).join('');
        const sets = form(free, used, { moving });
        expect(new Set(sets.join('')).size).toBe(sets.join('').length);
        for (const configs of used) {
          const touching = [...sets, moving].filter((set) =>
            [...configs].some((config) => set.includes(config)),
          );
          expect(touching.length).toBeLessThanOrEqual(1);
        }
      },
    ),
  );
});
