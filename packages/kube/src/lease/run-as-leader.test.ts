import { FakeElection, ignoresStop, stopsWhenAsked } from '@trimtab/test-bed/fakes/fake-election.ts';
import type { FakeLeaseServer, Verb } from '@trimtab/test-bed/fakes/fake-lease-server.ts';
import type { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let election: FakeElection;
let clock: ManualClock;
let server: FakeLeaseServer;

beforeEach(() => {
  election = new FakeElection();
  ({ clock, server } = election);
});

afterEach(() => election.end());

describe('a single candidate', () => {
  it('makes the Lease, works, and renews it', async () => {
    const a = stopsWhenAsked();
    election.candidate('a', a.work);
    await clock.advance(0);
    expect(a.diary).toEqual(['started']);
    expect(server.lease).toMatchObject({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: election.lease,
      spec: { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 },
    });
    const acquired = server.lease?.spec?.['acquireTime'];
    await clock.advance(60_000);
    expect(a.diary).toEqual(['started']);
    expect(server.lease?.spec).toMatchObject({
      acquireTime: acquired,
      renewTime: '2026-01-01T00:01:00.000030Z',
    });
  });

  it('gives the Lease back only when its work has stopped', async () => {
    const a = ignoresStop();
    const run = election.candidate('a', a.work);
    await clock.advance(0);
    run.shutdown();
    await clock.advance(60_000);
    expect(a.told).toEqual([true]);
    expect(election.holder(), 'renewed for as long as the work needs').toBe('a');
    expect(run.leader()).toBe('a');
    expect(run.problem()).toBeUndefined();
    a.finish();
    await run.ended;
    expect(server.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(run.leader()).toBeUndefined();
  });

  it('ends when its work ends, and gives the Lease back', async () => {
    const run = election.candidate('a', async () => {});
    await clock.advance(0);
    await run.ended;
    expect(election.holder()).toBe('');
  });

  it('hands on what its work failed with, and gives the Lease back', async () => {
    const run = election.candidate('a', async () => {
      throw new RangeError('broken');
    });
    await clock.advance(0);
    await expect(run.ended).rejects.toThrow('broken');
    expect(election.holder()).toBe('');
  });

  it('ends without a Lease when it is told to while it stands by', async () => {
    election.candidate('a', stopsWhenAsked().work);
    await clock.advance(0);
    const run = election.candidate('b', stopsWhenAsked().work);
    await clock.advance(0);
    run.shutdown();
    await run.ended;
    expect(election.holder()).toBe('a');
  });

  it('leaves no timer behind', async () => {
    const run = election.candidate('a', stopsWhenAsked().work);
    await clock.advance(5_000);
    run.shutdown();
    await run.ended;
    await clock.advance(30_000);
    expect(clock.pending).toBe(0);
  });
});

describe('who stands by', () => {
  it('takes over when the holder has died', async () => {
    let alive = true;
    election.candidate('a', stopsWhenAsked().work, {
      client: server.client(() => (alive ? {} : { toServerMs: 'never' })),
    });
    const b = stopsWhenAsked();
    await clock.advance(0);
    const run = election.candidate('b', b.work);
    await clock.advance(2_000);
    expect(run.leader()).toBe('a');
    alive = false;
    await clock.advance(14_000);
    expect(b.diary).toEqual([]);
    await clock.advance(6_000);
    expect(b.diary).toEqual(['started']);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('takes over at once when the Lease is given back', async () => {
    const a = election.candidate('a', stopsWhenAsked().work);
    const b = stopsWhenAsked();
    await clock.advance(0);
    election.candidate('b', b.work);
    await clock.advance(0);
    a.shutdown();
    await clock.advance(0);
    expect(b.diary).toEqual(['started']);
  });

  it('takes over with the next look when it may not watch', async () => {
    const a = election.candidate('a', stopsWhenAsked().work);
    const b = stopsWhenAsked();
    await clock.advance(0);
    const client = server.client((verb: Verb) => (verb === 'watch' ? { refusedWith: 403 } : {}));
    election.candidate('b', b.work, { client });
    await clock.advance(0);
    a.shutdown();
    await clock.advance(0);
    expect(b.diary).toEqual([]);
    await clock.advance(2_400);
    expect(b.diary).toEqual(['started']);
  });

  it('does not start when the Lease is deleted under a holder that works', async () => {
    const a = stopsWhenAsked();
    const b = stopsWhenAsked();
    election.candidate('a', a.work);
    await clock.advance(0);
    election.candidate('b', b.work);
    await clock.advance(1_000);
    server.delete();
    await clock.advance(30_000);
    expect(a.diary).toEqual(['started']);
    expect(b.diary).toEqual([]);
    expect(election.holder()).toBe('a');
  });

  it('starts when the Lease was deleted together with its holder', async () => {
    let alive = true;
    election.candidate('a', stopsWhenAsked().work, {
      client: server.client(() => (alive ? {} : { toServerMs: 'never' })),
    });
    const b = stopsWhenAsked();
    await clock.advance(0);
    election.candidate('b', b.work);
    await clock.advance(0);
    alive = false;
    server.delete();
    await clock.advance(20_000);
    expect(b.diary).toEqual(['started']);
  });
});

it('stops at once when somebody gives the Lease to another', async () => {
  const a = stopsWhenAsked();
  election.candidate('a', a.work);
  await clock.advance(0);
  server.put({
    metadata: { ...election.lease },
    spec: { holderIdentity: 'a person', leaseDurationSeconds: 15 },
  });
  await clock.advance(2_000);
  expect(a.diary).toEqual(['started', 'stopped']);
});

it('survives callbacks that throw', async () => {
  const a = stopsWhenAsked();
  election.candidate('a', a.work, {
    onLeader: () => {
      throw new Error('broken callback');
    },
  });
  await clock.advance(10_000);
  expect(a.diary).toEqual(['started']);
});
