import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { shortHash } from './object-names.ts';
import { automaticName, automaticPatch } from './version-name.ts';

/**
 * A permanent record of all versions of a config, including deleted ones, so no name and no sequence number is used
 * twice. The ledger is written before the version is created, so a crash cannot cause a name to be assigned again.
 */
export interface Ledger {
  /** The sequence number of the newest version; 0 before the first. */
  sequence: number;
  /** N of the newest automatic name `1.0.N`; all lower numbers count as used. -1 before the first. */
  patch: number;
  /** Short hashes of the names that users chose. */
  chosen: ReadonlySet<string>;
  /** The newest reservation. It shows that a version exists which the cache does not hold yet. */
  last?: { name: string; contentHash: string; made: boolean };
}

export interface Reservation {
  ledger: Ledger;
  name: string;
  sequence: number;
}

export const emptyLedger: Ledger = { sequence: 0, patch: -1, chosen: new Set() };

export function isNameUsed(ledger: Ledger, name: string): boolean {
  const patch = automaticPatch(name);
  return (patch !== undefined && patch <= ledger.patch) || ledger.chosen.has(shortHash(name));
}

/** Returns the name of the next automatic version: the lowest above `patch` that no user chose before. */
function nextAutomaticName(ledger: Ledger): string {
  let patch = ledger.patch + 1;
  while (isNameUsed(ledger, automaticName(patch))) patch += 1;
  return automaticName(patch);
}

/**
 * Reserves the name of a version before the version is created: the name that a user chose (check `isNameUsed`
 * first), or the next automatic one. After a crash, the same content gets the same reservation, so a crash leaves no
 * gap. Call `markMade` once the version exists.
 */
export function reserve(ledger: Ledger, wish: { contentHash: string; chosen?: string }): Reservation {
  const { last } = ledger;
  if (last !== undefined && isOpen(ledger, wish.contentHash) && (wish.chosen ?? last.name) === last.name) {
    return { ledger, name: last.name, sequence: ledger.sequence };
  }
  const name = wish.chosen ?? nextAutomaticName(ledger);
  if (isNameUsed(ledger, name)) throw new RangeError('the version name was used before');
  const sequence = ledger.sequence + 1;
  const next = { ...ledger, sequence, last: { name, contentHash: wish.contentHash, made: false } };
  const marked =
    wish.chosen === undefined
      ? { ...next, patch: automaticPatch(name) ?? ledger.patch }
      : { ...next, chosen: new Set([...ledger.chosen, shortHash(name)]) };
  return { ledger: marked, name, sequence };
}

/** Whether a name is reserved for this content and the version may not exist yet. */
export function isOpen({ last }: Ledger, contentHash: string): boolean {
  return last !== undefined && !last.made && last.contentHash === contentHash;
}

/** The ledger once the reserved version exists. */
export function markMade(ledger: Ledger): Ledger {
  return ledger.last === undefined ? ledger : { ...ledger, last: { ...ledger.last, made: true } };
}

/** The ledger once the last version is known to be deleted: its content may become another version. */
export function forgetLast({ last: _, ...ledger }: Ledger): Ledger {
  return ledger;
}

/** One line of JSON, kept short because all annotations of an object share 256 KiB. */
export function formatLedger(ledger: Ledger): string {
  return JSON.stringify({ ...ledger, chosen: [...ledger.chosen].sort().join(' ') });
}

/** Returns undefined when the text is not a ledger: it was edited, and a guess could assign a name twice. */
export function parseLedger(text: string): Ledger | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { sequence, patch, chosen, last } = value as Record<string, unknown>;
  if (!isCount(sequence, 0) || !isCount(patch, -1) || typeof chosen !== 'string') return undefined;
  const settled = { sequence, patch, chosen: new Set(chosen.split(' ').filter((hash) => hash !== '')) };
  if (last === undefined) return settled;
  return isLast(last) ? { ...settled, last } : undefined;
}

function isLast(value: unknown): value is NonNullable<Ledger['last']> {
  if (typeof value !== 'object' || value === null) return false;
  const { name, contentHash, made } = value as Record<string, unknown>;
  return typeof name === 'string' && typeof contentHash === 'string' && typeof made === 'boolean';
}

function isCount(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

/**
 * Returns a ledger that includes at least these versions. A ledger that was lost or edited must not assign their
 * names again, nor those of older automatic versions that were deleted.
 */
export function rebuildLedger(
  ledger: Ledger,
  versions: readonly { name: string; sequence: number }[],
): Ledger {
  let known = ledger;
  for (const { name, sequence } of versions) {
    const counted = { ...known, sequence: Math.max(known.sequence, sequence) };
    const patch = automaticPatch(name);
    if (isNameUsed(known, name)) known = counted;
    else if (patch !== undefined) known = { ...counted, patch };
    else known = { ...counted, chosen: new Set([...known.chosen, shortHash(name)]) };
  }
  return known;
}

/** The ledger of a rollout; if it is missing or damaged, it is rebuilt from the existing versions. */
export function ledgerOf(
  rollout: ConfigRollout,
  versions: readonly { name: string; sequence: number }[],
): { ledger: Ledger; damaged: boolean } {
  const text = rollout.metadata.annotations?.[annotations.ledger];
  const ledger = text === undefined ? emptyLedger : parseLedger(text);
  return { ledger: rebuildLedger(ledger ?? emptyLedger, versions), damaged: ledger === undefined };
}
