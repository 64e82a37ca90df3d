import type { LeaseRecord } from './record.ts';
import type { LeaseTiming } from './timing.ts';

/**
 * May I take it, must I stop? Answered from what one candidate knows, and only by its own monotonic clock: the
 * times in a Lease were written by other machines and say nothing but whether they have changed.
 *
 *   my write sent      answered                 renewDeadline        leaseDuration
 *   ───●─────────────────●──────────────────────────●────────────────────●──────────▶
 *      └ heldFrom        └ others see it from here   └ my work is told    └ the soonest that
 *                          on at the soonest           to stop              another may lead
 *
 * Leading counts from when a write was sent, waiting from when another's write was seen. Between the two lies
 * the network, and it can only make the gap longer.
 */
export interface Knowledge {
  readonly me: string;
  /** What the server had when we last looked; `unread` when a write may have changed it since. */
  readonly lease: 'unread' | 'absent' | 'present';
  readonly seen: Sighting | undefined;
  /** Writes of ours that may have taken effect, answered or not; the newest last. */
  readonly writes: readonly OwnWrite[];
  /** When the newest write that is known to have made or kept us the holder was sent. */
  readonly heldFrom: number | undefined;
}

interface Sighting {
  readonly holder: string;
  /** A write of this very process. Another process with our identity is a stranger. */
  readonly mine: boolean;
  readonly record: LeaseRecord;
  /** When this record was first seen. */
  readonly since: number;
}

export interface OwnWrite {
  readonly renewTime: string;
  readonly sentAt: number;
}

export type ElectionStep = 'read' | 'create' | 'take' | 'renew' | 'wait';

/** Forgetting an older one is safe: if it turns up, it is a stranger's and has to run out first. */
const rememberedWrites = 16;

export function knowingNothing(me: string): Knowledge {
  return { me, lease: 'unread', seen: undefined, writes: [], heldFrom: undefined };
}

/** `now` is when the answer came: counting from later than the truth only makes us wait longer. */
export function sawRecord(knows: Knowledge, record: LeaseRecord, now: number): Knowledge {
  const write = record.holder === knows.me ? ownWrite(knows, record) : undefined;
  const unchanged = knows.seen !== undefined && sameRecord(knows.seen.record, record);
  const since = unchanged ? knows.seen.since : now;
  const seen = { holder: record.holder, mine: write !== undefined, record, since };
  // A write whose answer was lost counts from when it was sent, as if it had been answered.
  const heldFrom = write === undefined ? undefined : Math.max(write.sentAt, knows.heldFrom ?? write.sentAt);
  return { ...knows, lease: 'present', seen, heldFrom };
}

/** A deleted Lease is no proof that its holder has stopped: what was seen before stays in force. */
export function sawNoLease(knows: Knowledge): Knowledge {
  return { ...knows, lease: 'absent' };
}

/** To be called before the request leaves: from now on the server may have the write, whatever we hear. */
export function sending(knows: Knowledge, write: OwnWrite): Knowledge {
  return { ...knows, lease: 'unread', writes: [...knows.writes, write].slice(-rememberedWrites) };
}

/** To be called before the Lease is given back: from now on another may have it. */
export function releasing(knows: Knowledge): Knowledge {
  return { ...knows, lease: 'unread', heldFrom: undefined };
}

export function nextStep(knows: Knowledge, timing: LeaseTiming, now: number): ElectionStep {
  if (knows.lease === 'unread') return 'read';
  const free = knows.seen === undefined || isFree(knows.seen, timing, now);
  if (knows.lease === 'absent') return free ? 'create' : 'wait';
  if (knows.seen?.mine) return 'renew';
  return free ? 'take' : 'wait';
}

/** When this candidate must have told its work to stop; undefined when it may not work at all. */
export function leadsUntil(knows: Knowledge, timing: LeaseTiming): number | undefined {
  return knows.heldFrom === undefined ? undefined : knows.heldFrom + timing.renewDeadlineMs;
}

export function mayLead(knows: Knowledge, timing: LeaseTiming, now: number): boolean {
  const until = leadsUntil(knows, timing);
  return until !== undefined && now < until;
}

function isFree(seen: Sighting, timing: LeaseTiming, now: number): boolean {
  if (seen.holder === '' || seen.mine) return true;
  // The holder counts by the duration that it wrote, which need not be ours.
  return now >= seen.since + (seen.record.durationMs ?? timing.leaseDurationMs);
}

function ownWrite(knows: Knowledge, record: LeaseRecord): OwnWrite | undefined {
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
