import type { LeaseRecord } from './record.ts';
import type { LeaseTiming } from './timing.ts';

/**
 * What one candidate knows about the Lease. The functions below decide from it whether the candidate may acquire the
 * Lease or must stop its work. They use only the candidate's monotonic clock: other machines wrote the times in the
 * Lease, so those times are only compared for changes.
 *
 *   write sent         response received        renewDeadline        leaseDuration
 *   ───●─────────────────●──────────────────────────●────────────────────●──────────▶
 *      └ heldFrom        └ earliest time that       └ the holder stops   └ earliest time that
 *                          others observe it          its work             another may lead
 *
 * The holder counts from the time that it sent a write; other candidates count from the time that they observed that
 * write. Network latency can only lengthen the gap between the two.
 */
export interface ElectionState {
  readonly me: string;
  /** State of the Lease when it was last read; `unread` when a write of this candidate may have changed it since. */
  readonly lease: 'unread' | 'absent' | 'present';
  readonly seen: LeaseObservation | undefined;
  /** Writes of this candidate that may have taken effect, with or without a response; the newest is last. */
  readonly writes: readonly OwnWrite[];
  /** When this candidate sent the newest write that is known to have acquired or renewed the Lease. */
  readonly heldFrom: number | undefined;
}

interface LeaseObservation {
  readonly holder: string;
  /** Whether this process wrote the record. Another process with the same identity counts as another candidate. */
  readonly mine: boolean;
  readonly record: LeaseRecord;
  /** When this candidate first observed the record. */
  readonly since: number;
}

export interface OwnWrite {
  readonly renewTime: string;
  readonly sentAt: number;
}

export type ElectionStep = 'read' | 'create' | 'take' | 'renew' | 'wait';

/** Dropping older writes is safe: such a write counts as one of another candidate and must expire first. */
const rememberedWrites = 16;

export function initialElectionState(me: string): ElectionState {
  return { me, lease: 'unread', seen: undefined, writes: [], heldFrom: undefined };
}

/** `now` is when the response arrived. This is later than the actual write, so the candidate can only wait longer. */
export function sawRecord(knows: ElectionState, record: LeaseRecord, now: number): ElectionState {
  const write = record.holder === knows.me ? ownWrite(knows, record) : undefined;
  const unchanged = knows.seen !== undefined && sameRecord(knows.seen.record, record);
  const since = unchanged ? knows.seen.since : now;
  const seen = { holder: record.holder, mine: write !== undefined, record, since };
  // A write whose response was lost counts from when it was sent, like a write with a response.
  const heldFrom = write === undefined ? undefined : Math.max(write.sentAt, knows.heldFrom ?? write.sentAt);
  return { ...knows, lease: 'present', seen, heldFrom };
}

/** Keeps the last observed record, because the holder of a deleted Lease may still be working. */
export function sawNoLease(knows: ElectionState): ElectionState {
  return { ...knows, lease: 'absent' };
}

/** Call this before sending the request: the write may take effect even when its response is lost. */
export function sending(knows: ElectionState, write: OwnWrite): ElectionState {
  return { ...knows, lease: 'unread', writes: [...knows.writes, write].slice(-rememberedWrites) };
}

/** Call this before releasing the Lease: another candidate may acquire it from then on. */
export function releasing(knows: ElectionState): ElectionState {
  return { ...knows, lease: 'unread', heldFrom: undefined };
}

export function nextStep(knows: ElectionState, timing: LeaseTiming, now: number): ElectionStep {
  if (knows.lease === 'unread') return 'read';
  const free = knows.seen === undefined || isFree(knows.seen, timing, now);
  if (knows.lease === 'absent') return free ? 'create' : 'wait';
  if (knows.seen?.mine) return 'renew';
  return free ? 'take' : 'wait';
}

/** When this candidate must stop its work; undefined when it does not lead. */
export function leadsUntil(knows: ElectionState, timing: LeaseTiming): number | undefined {
  return knows.heldFrom === undefined ? undefined : knows.heldFrom + timing.renewDeadlineMs;
}

export function mayLead(knows: ElectionState, timing: LeaseTiming, now: number): boolean {
  const until = leadsUntil(knows, timing);
  return until !== undefined && now < until;
}

function isFree(seen: LeaseObservation, timing: LeaseTiming, now: number): boolean {
  if (seen.holder === '' || seen.mine) return true;
  // The holder uses the duration in its record, which may differ from the duration of this candidate.
  return now >= seen.since + (seen.record.durationMs ?? timing.leaseDurationMs);
}

function ownWrite(knows: ElectionState, record: LeaseRecord): OwnWrite | undefined {
  return knows.writes.find((write) => write.renewTime === record.renewTime);
}

function sameRecord(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.holder === b.holder &&
    a.renewTime === b.renewTime &&
    a.acquireTime === b.acquireTime &&
    a.transitions === b.transitions &&
    a.durationMs === b.durationMs
  );
}
