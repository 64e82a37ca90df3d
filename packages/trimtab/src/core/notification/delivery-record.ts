/**
 * What a target has received, so that a new leader sends what the last one has not. Outcomes before `since` count as
 * delivered; of later ones, `delivered` lists those that were, with their times.
 */
export interface DeliveryRecord {
  since: string;
  delivered: ReadonlyMap<string, string>;
}

export type DeliveryRecords = ReadonlyMap<string, DeliveryRecord>;

/**
 * Outcomes may be observed late, and have the time of another leader's clock: for this long, deliveries are remembered
 * one by one.
 */
const overlapMs = 5 * 60_000;
/** Limits the size of the record. Beyond it, outcomes may be sent twice after a change of the leader. */
const maxDelivered = 500;

export function newRecord(now: number): DeliveryRecord {
  return { since: new Date(now).toISOString(), delivered: new Map() };
}

export function isDelivered(
  record: DeliveryRecord,
  { id, time }: { id: string; time: string },
  now: number,
): boolean {
  // Times in a status have no fraction, so that a second counts as a whole.
  return Date.parse(time) + 1_000 <= sinceOf(record, now) || record.delivered.has(id);
}

/** A record from the future was written by a leader whose clock was ahead. It must not silence the target until then. */
function sinceOf({ since }: DeliveryRecord, now: number): number {
  const time = Date.parse(since);
  return time > now ? now - overlapMs : time;
}

/** The record after a delivery. `waiting` are the times of the outcomes that are not delivered. */
export function withDelivered(
  record: DeliveryRecord,
  { id, time }: { id: string; time: string },
  waiting: readonly string[],
  now: number,
): DeliveryRecord {
  const oldest = Math.min(now - overlapMs, ...waiting.map((each) => Date.parse(each)));
  const since = Math.max(sinceOf(record, now), oldest);
  const all = [...record.delivered, [id, time] as const];
  const kept = all.filter(([, at]) => Date.parse(at) + 1_000 > since).slice(-maxDelivered);
  return { since: new Date(since).toISOString(), delivered: new Map(kept) };
}

export function formatRecords(records: DeliveryRecords): string {
  const plain = [...records].map(([target, { since, delivered }]) => [
    target,
    { since, delivered: Object.fromEntries(delivered) },
  ]);
  return JSON.stringify(Object.fromEntries(plain));
}

/** A target whose record is not valid gets outcomes from now on. */
export function parseRecords(text: string | undefined): Map<string, DeliveryRecord> {
  const records = new Map<string, DeliveryRecord>();
  for (const [target, record] of Object.entries(parsed(text))) {
    const { since, delivered } = (record ?? {}) as { since?: unknown; delivered?: unknown };
    if (typeof since !== 'string' || Number.isNaN(Date.parse(since))) continue;
    if (typeof delivered !== 'object' || delivered === null) continue;
    records.set(target, { since, delivered: new Map(Object.entries(delivered)) });
  }
  return records;
}

function parsed(text = '{}'): object {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
