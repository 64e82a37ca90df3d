import { describe, expect, it } from 'vitest';
import {
  type ElectionState,
  type ElectionStep,
  initialElectionState,
  leadsUntil,
  mayLead,
  nextStep,
  releasing,
  sawNoLease,
  sawRecord,
  sending,
} from './decision.ts';
import { type LeaseRecord, readRecord } from './record.ts';
import { leaseTiming } from './timing.ts';

const timing = leaseTiming();
const me = 'me';

function record(holder: string, renewTime: string, durationMs: number | undefined = 15_000): LeaseRecord {
  return { holder, durationMs, acquireTime: 'then', renewTime, transitions: 3 };
}

/** A candidate that sent a write at `sentAt` and received the response at `answeredAt`. */
function holding(sentAt: number, answeredAt: number): ElectionState {
  const sent = sending(initialElectionState(me), { renewTime: `w${sentAt}`, sentAt });
  return sawRecord(sent, record(me, `w${sentAt}`), answeredAt);
}

describe('may I take the Lease', () => {
  const fresh = initialElectionState(me);
  const bobAt1000 = sawRecord(fresh, record('bob', 'r1'), 1_000);
  const table: [story: string, knows: ElectionState, now: number, step: ElectionStep][] = [
    ['I have not looked yet', fresh, 0, 'read'],
    ['there is none', sawNoLease(fresh), 0, 'create'],
    ['nobody holds it', sawRecord(fresh, record('', 'r1'), 0), 0, 'take'],
    ['its spec is empty', sawRecord(fresh, readRecord({ metadata: {}, spec: null }), 0), 0, 'take'],
    ['bob holds it, as far as I know', bobAt1000, 1_000, 'wait'],
    ['bob was last seen renewing just less than its duration ago', bobAt1000, 15_999, 'wait'],
    ['bob was last seen renewing its duration ago', bobAt1000, 16_000, 'take'],
    ['bob renewed again', sawRecord(bobAt1000, record('bob', 'r2'), 9_000), 16_000, 'wait'],
    [
      'I looked again and bob had not renewed',
      sawRecord(bobAt1000, record('bob', 'r1'), 9_000),
      16_000,
      'take',
    ],
    [
      'bob counts by a longer duration than I',
      sawRecord(fresh, record('bob', 'r1', 60_000), 0),
      59_999,
      'wait',
    ],
    [
      'bob counts by a shorter duration than I',
      sawRecord(fresh, record('bob', 'r1', 5_000), 0),
      5_000,
      'take',
    ],
    ['bob wrote no duration: mine counts', sawRecord(fresh, record('bob', '', undefined), 0), 14_999, 'wait'],
    [
      'bob wrote no duration, and mine is over',
      sawRecord(fresh, record('bob', '', undefined), 0),
      15_000,
      'take',
    ],
    ['it was deleted under bob, who may still work', sawNoLease(bobAt1000), 15_999, 'wait'],
    ['it was deleted under bob, long ago', sawNoLease(bobAt1000), 16_000, 'create'],
    ['I hold it', holding(0, 5), 2_000, 'renew'],
    ['I held it and it was deleted', sawNoLease(holding(0, 5)), 2_000, 'create'],
    ['I held it, could not renew, and nobody else took it', holding(0, 5), 99_000, 'renew'],
    [
      'a renewal of mine was not answered',
      sending(holding(0, 5), { renewTime: 'w', sentAt: 1 }),
      2_000,
      'read',
    ],
    ['another process has my name', sawRecord(fresh, record(me, 'theirs'), 0), 14_999, 'wait'],
    ['I gave it back', sawRecord(releasing(holding(0, 5)), record('', 'r'), 20), 20, 'take'],
  ];
  it.each(table)('%s', (_story, knows, now, step) => {
    expect(nextStep(knows, timing, now)).toBe(step);
  });
});

describe('must I stop', () => {
  it('counts from when the renewal was sent, not from when it was answered', () => {
    const knows = holding(1_000, 9_000);
    expect(leadsUntil(knows, timing)).toBe(11_000);
    expect(mayLead(knows, timing, 10_999)).toBe(true);
    expect(mayLead(knows, timing, 11_000)).toBe(false);
  });

  it('never leads on an answer that came after the deadline', () => {
    expect(mayLead(holding(0, 20_000), timing, 20_000)).toBe(false);
  });

  it('goes on while renewals are doubtful, but not for longer', () => {
    const knows = sending(holding(0, 5), { renewTime: 'w2', sentAt: 8_000 });
    expect(mayLead(knows, timing, 9_999)).toBe(true);
    expect(mayLead(knows, timing, 10_000)).toBe(false);
  });

  it('counts a renewal that was not answered but is there, from when it was sent', () => {
    const sent = sending(holding(0, 5), { renewTime: 'w2', sentAt: 8_000 });
    expect(leadsUntil(sawRecord(sent, record(me, 'w2'), 9_500), timing)).toBe(18_000);
  });

  it('does not go back when an older write of its own is seen', () => {
    let knows = sending(holding(0, 5), { renewTime: 'w2', sentAt: 2_000 });
    knows = sawRecord(knows, record(me, 'w2'), 2_005);
    expect(leadsUntil(sawRecord(knows, record(me, 'w0'), 2_010), timing)).toBe(12_000);
  });

  it('stops at once when another holds it', () => {
    expect(mayLead(sawRecord(holding(0, 5), record('bob', 'r9'), 100), timing, 100)).toBe(false);
  });

  it('stops at once when somebody emptied it', () => {
    expect(mayLead(sawRecord(holding(0, 5), record('', 'r9'), 100), timing, 100)).toBe(false);
  });

  it('stops before it gives the Lease back', () => {
    expect(mayLead(releasing(holding(0, 5)), timing, 6)).toBe(false);
  });
});
