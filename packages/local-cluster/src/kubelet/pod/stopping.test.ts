import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { describe, expect, it } from 'vitest';
import { Stopping } from './stopping.ts';

/** A container that is being stopped, and a record of its events with their time in seconds. */
function scene({
  graceSeconds = 30,
  diesOfTerm = false,
  preStopSeconds = 0,
  turn = Promise.resolve() as Promise<unknown>,
}) {
  const clock = new ManualClock();
  const story: string[] = [];
  const ended = Promise.withResolvers<void>();
  const note = (what: string) => story.push(`${clock.monotonic() / 1000} ${what}`);
  const stopping = new Stopping({
    clock,
    graceMs: graceSeconds * 1000,
    ...(preStopSeconds > 0 && {
      preStop: (signal: AbortSignal) =>
        new Promise<void>((resolve) => {
          note('hook');
          let isThrough = false;
          clock.after(preStopSeconds * 1000, () => {
            isThrough = true;
            resolve();
          });
          signal.addEventListener('abort', () => isThrough || note('hook is cut off'));
        }),
    }),
    turn,
    ended: ended.promise,
    term() {
      note('TERM');
      if (diesOfTerm) ended.resolve();
    },
    kill() {
      note('KILL');
      ended.resolve();
    },
  });
  return { clock, story, stopping, ended };
}

describe('a container that is stopped', () => {
  it('ends by its TERM, and no timer is left', async () => {
    const { clock, story } = scene({ diesOfTerm: true });
    await clock.advance(60_000);
    expect(story).toEqual(['0 TERM']);
    expect(clock.pending).toBe(0);
  });

  it('is killed when its grace is over', async () => {
    const { clock, story } = scene({ graceSeconds: 7 });
    await clock.advance(60_000);
    expect(story).toEqual(['0 TERM', '7 KILL']);
  });

  it.each([0, 1])('has two seconds at least (grace %d)', async (graceSeconds) => {
    const { clock, story } = scene({ graceSeconds });
    await clock.advance(60_000);
    expect(story).toEqual(['0 TERM', '2 KILL']);
  });

  it('runs its hook first, within its grace', async () => {
    const { clock, story } = scene({ graceSeconds: 10, preStopSeconds: 4 });
    await clock.advance(60_000);
    expect(story).toEqual(['0 hook', '4 TERM', '10 KILL']);
  });

  it('whose hook takes too long hears TERM all the same', async () => {
    const { clock, story } = scene({ graceSeconds: 10, preStopSeconds: 40 });
    await clock.advance(60_000);
    expect(story).toEqual(['0 hook', '10 hook is cut off', '10 TERM', '12 KILL']);
  });

  it('waits for its turn, but not longer than its grace', async () => {
    const turn = Promise.withResolvers<void>();
    const first = scene({ graceSeconds: 10, diesOfTerm: true, turn: turn.promise });
    await first.clock.advance(3_000);
    turn.resolve();
    await first.clock.advance(1_000);
    expect(first.story).toEqual(['3 TERM']);
    const second = scene({ graceSeconds: 10, turn: new Promise(() => {}) });
    await second.clock.advance(60_000);
    expect(second.story).toEqual(['10 TERM', '12 KILL']);
  });

  it('hurries when it is asked again with less time, and not when it is asked the same', async () => {
    const { clock, story, stopping } = scene({ graceSeconds: 30 });
    await clock.advance(4_000);
    stopping.hurry(30_000);
    stopping.hurry(5_000);
    stopping.hurry(20_000);
    await clock.advance(60_000);
    expect(story).toEqual(['0 TERM', '9 KILL']);
  });

  it('is killed at once when nobody wants to wait', async () => {
    const { clock, story, stopping } = scene({ graceSeconds: 30 });
    stopping.killNow();
    await clock.advance(1);
    stopping.killNow();
    expect(story.filter((each) => each.includes('KILL'))).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('that ends by itself is left alone', async () => {
    const { clock, story, ended } = scene({ preStopSeconds: 20 });
    await clock.advance(1_000);
    ended.resolve();
    await clock.advance(60_000);
    expect(story).toEqual(['0 hook', '1 hook is cut off']);
  });
});
