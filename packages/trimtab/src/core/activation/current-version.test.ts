import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { currentVersion } from './current-version.ts';
import type { CandidateVersion } from './rollout-state.ts';

const version = (n: number, labelledCurrent: boolean): CandidateVersion => ({
  name: `1.0.${n}`,
  object: `foo-${n}`,
  contentHash: `h${n}`,
  sequence: n + 1,
  labelledCurrent,
  currentCount: 0,
  rejections: [],
  aborted: false,
});
const labelled = (...current: number[]) => [2, 0, 1].map((n) => version(n, current.includes(n)));
const says = (current?: number, target?: number) => ({
  ...(current !== undefined && { current: { object: `foo-${current}` } }),
  ...(target !== undefined && { target: { object: `foo-${target}` } }),
});

const back = 'RollingBack' as const;

describe('the current version', () => {
  test.each([
    ['status and label agree', [1], says(1), 'foo-1', false],
    ['an activation to another version is under way', [1], says(1, 2), 'foo-1', false],
    ['the status is empty', [1], says(), 'foo-1', false],
    ['there is no status', [1], undefined, 'foo-1', false],
    ['the status names a version that we do not see', [1], says(7), 'foo-1', true],
    ['no version is labelled', [], says(1), 'foo-1', false],
    ['no version is labelled and the status is empty: the first', [], says(), 'foo-0', false],
    ['killed after the new one was marked', [0, 1], says(0, 1), 'foo-0', false],
    ['killed after both were marked', [1], says(0, 1), 'foo-0', false],
    ['a crash left two, and the status is empty', [0, 1], says(), 'foo-1', false],
    ['somebody wrote an older version into the status', [1], says(0), 'foo-1', true],
    ['somebody wrote a newer version into the status', [1], says(2), 'foo-1', true],
    ['somebody wrote both into the status', [1], says(0, 2), 'foo-1', true],
    ['somebody wrote a rollback into it', [1], { ...says(0, 1), phase: back }, 'foo-1', true],
  ])('%s', (_, current, status, object, contradicted) => {
    const found = currentVersion(labelled(...current), status);
    expect([found.version?.object, found.contradicted]).toEqual([object, contradicted]);
  });

  test('is the one that was labelled last when a crash left two labels, though it is the older version', () => {
    const versions = [
      { ...version(0, true), currentCount: 3 },
      { ...version(1, true), currentCount: 2 },
    ];
    expect(currentVersion(versions, says()).version?.object).toBe('foo-0');
  });

  test('of a config without versions is none', () => {
    expect(currentVersion([], says())).toEqual({ version: undefined, contradicted: false });
  });

  test('is the one with the label, whatever a status without a target says', () => {
    const any = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 }), any, (fact, lie) => {
        expect(currentVersion(labelled(fact), says(lie)).version?.object).toBe(`foo-${fact}`);
      }),
    );
  });
});
