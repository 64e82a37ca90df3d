import { FakeElection, ignoresStop, stopsWhenAsked } from '@trimtab/test-bed/fakes/fake-election.ts';
import type { Barrier, FakeLeaseServer } from '@trimtab/test-bed/fakes/fake-lease-server.ts';
import type { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../clock.ts';
import { createRegistry } from '../metrics/metrics.ts';

let election: FakeElection;
let clock: ManualClock;
let server: FakeLeaseServer;

beforeEach(() => {
  election = new FakeElection();
  ({ clock, server } = election);
});

afterEach(() => election.end());

describe('when the Lease cannot be renewed', () => {
  let passage: Barrier;
  const unreliable = () => server.client(() => passage);
  beforeEach(() => {
    passage = {};
  });

  it.each<[string, Barrier]>([
    ['requests get lost', { toServerMs: 'never' }],
    ['the server is broken', { refusedWith: 503 }],
    ['the right to write it was taken away', { refusedWith: 403 }],
  ])('tells the work to stop at the deadline: %s', async (_story, trouble) => {
    const a = stopsWhenAsked();
    election.candidate('a', a.work, { client: unreliable() });
    await clock.advance(0);
    passage = trouble;
    await clock.advance(9_999);
    expect(a.diary).toEqual(['started']);
    await clock.advance(1);
    expect(a.diary).toEqual(['started', 'stopped']);
    passage = {};
    await clock.advance(8_000);
    expect(a.diary, 'and leads again afterwards').toEqual(['started', 'stopped', 'started']);
  });

  it('goes on when only the answers are lost: a second look finds the renewal', async () => {
    const a = stopsWhenAsked();
    let answers = true;
    const client = server.client((verb) => (answers || verb === 'get' ? {} : { backMs: 'never' }));
    election.candidate('a', a.work, { client });
    await clock.advance(0);
    answers = false;
    await clock.advance(60_000);
    expect(a.diary).toEqual(['started']);
  });

  it('does not lead for longer because the wall clock was set back', async () => {
    const a = stopsWhenAsked();
    election.candidate('a', a.work, { client: unreliable() });
    await clock.advance(0);
    passage = { toServerMs: 'never' };
    await clock.advance(5_000);
    clock.setWallClock(Date.UTC(2020, 0, 1));
    await clock.advance(5_000);
    expect(a.diary).toEqual(['started', 'stopped']);
  });

  it('knows after a stalled event loop that it leads no more, before any timer has fired', async () => {
    const a = ignoresStop();
    let stalledMs = 0;
    const stalling: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic() + stalledMs,
      after: (ms, callback) => clock.after(ms, callback),
    };
    election.candidate('a', a.work, { clock: stalling });
    await clock.advance(0);
    expect(a.holds()).toBe(true);
    stalledMs = 10_000;
    expect(a.holds()).toBe(false);
    a.finish();
  });

  it('says that it leads until its work has stopped, and complains when that takes too long', async () => {
    const a = ignoresStop();
    let overdue = 0;
    const metrics = createRegistry();
    const leaders: (string | undefined)[] = [];
    const run = election.candidate('a', a.work, {
      client: unreliable(),
      metrics,
      onLeader: (leader) => leaders.push(leader),
      onOverdue: () => overdue++,
    });
    await clock.advance(0);
    const b = stopsWhenAsked();
    election.candidate('b', b.work);
    passage = { toServerMs: 'never' };
    await clock.advance(14_999);
    expect(a.told).toEqual([true]);
    expect(run.problem()).toBeUndefined();
    expect(overdue).toBe(0);
    await clock.advance(1_001);
    expect(overdue).toBe(1);
    expect(run.problem()).toMatch(/lost 6 s ago, but the work of the leader has not stopped/);
    expect(run.leader()).toBe('a');
    expect(metrics.render()).toContain('trimtab_leader{lease="trimtab/controller"} 1');
    passage = {};
    await clock.advance(30_000);
    expect(b.diary).toEqual(['started']);
    expect(leaders).toEqual(['a']);
    a.finish();
    await clock.advance(3_000);
    expect(leaders).toEqual(['a', 'b']);
    expect(run.problem()).toBeUndefined();
    expect(metrics.render()).toContain('trimtab_leader{lease="trimtab/controller"} 0');
  });

  it('gives its work no second life when that fails while it stops', async () => {
    const a = ignoresStop();
    election.candidate('a', a.work, { client: unreliable() });
    await clock.advance(0);
    passage = { toServerMs: 'never' };
    await clock.advance(10_000);
    a.finish(new Error('half-way'));
    passage = {};
    await clock.advance(10_000);
    expect(a.holds(), 'it stood by and leads again').toBe(true);
    a.finish();
  });
});
