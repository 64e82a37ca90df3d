import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { describe, expect, test } from 'vitest';
import { type Action, type Outcome, refused, succeeded, unreachable } from './outcome.ts';
import { runWithRetries } from './run-with-retries.ts';

/** Runs an action that returns these outcomes one after the other; the last one is repeated. */
function run(outcomes: Outcome[], retries: number) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const startedAt: number[] = [];
  const action: Action = {
    name: 'test',
    async run({ writtenAtTicks }) {
      expect(writtenAtTicks).toBe(7);
      startedAt.push(clock.monotonic());
      return outcomes[startedAt.length - 1] ?? outcomes.at(-1) ?? succeeded;
    },
  };
  const ended = runWithRetries(action, 7, { clock, timeoutMs: 1_000, retries, signal: stop.signal });
  ended.catch(() => {});
  return { clock, stop, startedAt, ended };
}

const away = unreachable('away');

describe('an action', () => {
  test('that succeeds runs once, and leaves no timer', async () => {
    const { ended, startedAt, clock } = run([succeeded], 3);
    expect(await ended).toEqual(succeeded);
    expect([startedAt, clock.pending]).toEqual([[0], 0]);
  });

  test('that is refused is not repeated', async () => {
    const { ended, startedAt, clock } = run([refused('no'), succeeded], 3);
    expect(await ended).toEqual(refused('no'));
    await clock.advance(60_000);
    expect(startedAt).toEqual([0]);
  });

  test('that is unreachable is repeated until it succeeds, with longer and longer waits', async () => {
    const { ended, startedAt, clock } = run([away, away, away, succeeded], 3);
    await clock.advance(60_000);
    expect(await ended).toEqual(succeeded);
    const waits = startedAt.slice(1).map((at, index) => at - (startedAt[index] ?? 0));
    expect(waits).toHaveLength(3);
    waits.forEach((wait, index) => {
      expect(wait).toBeGreaterThanOrEqual(100 * 2 ** index);
      expect(wait).toBeLessThanOrEqual(200 * 2 ** index);
    });
  });

  test('that stays unreachable is repeated as often as --retries says', async () => {
    for (const retries of [0, 1, 3]) {
      const { ended, startedAt, clock } = run([away], retries);
      await clock.advance(60_000);
      expect(await ended).toEqual(away);
      expect(startedAt).toHaveLength(retries + 1);
      expect(clock.pending).toBe(0);
    }
  });

  test('that is refused after it was unreachable is refused', async () => {
    const { ended, startedAt, clock } = run([away, refused('no')], 3);
    await clock.advance(60_000);
    expect(await ended).toEqual(refused('no'));
    expect(startedAt).toHaveLength(2);
  });

  test('is not repeated after the agent stopped', async () => {
    const { ended, startedAt, clock, stop } = run([away], 3);
    await clock.advance(50);
    stop.abort(new Error('stopped'));
    await expect(ended).rejects.toThrow('stopped');
    expect([startedAt, clock.pending]).toEqual([[0], 0]);
  });
});

/** An action that ends when its time is over. */
const slow: Action = {
  name: 'slow',
  run: ({ signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(unreachable('no answer')))),
};

test('every attempt has its own time', async () => {
  const clock = new ManualClock();
  const { signal } = new AbortController();
  let outcome: Outcome | undefined;
  void runWithRetries(slow, 0, { clock, timeoutMs: 1_000, retries: 1, signal }).then((each) => {
    outcome = each;
  });
  await clock.advance(999);
  expect(outcome).toBeUndefined();
  await clock.advance(1_100);
  expect(outcome).toBeUndefined();
  await clock.advance(150);
  expect(outcome).toEqual(unreachable('no answer'));
  expect(clock.pending).toBe(0);
});
