import { shortHash } from './object-names.ts';
import { automaticName, automaticPatch } from './version-name.ts';

/**
 * What a config remembers of its versions for ever, deleted ones included, so that no name and no sequence
 * number is used twice. Written before the version it is about, so that no crash can give a name out again.
 */
export interface Ledger {
  /** The sequence number of the newest version; 0 before the first. */
  sequence: number;
  /** N of the newest automatic name `1.0.N`; all below count as used. -1 before the first. */
  patch: number;
  /** Short hashes of the names that people chose. */
  chosen: ReadonlySet<string>;
  /** Reserved last, and perhaps not made yet. */
  pending?: { name: string; contentHash: string };
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

/** The name that the next automatic version gets: the lowest above the mark that nobody chose before. */
function nextAutomaticName(ledger: Ledger): string {
  let patch = ledger.patch + 1;
  while (isNameUsed(ledger, automaticName(patch))) patch += 1;
  return automaticName(patch);
}

/**
 * Reserves the name of a version that is about to be made: the one a person chose (ask `isNameUsed` first), or
 * the next automatic one. Asked again for the same content after a crash, it answers the same reservation, so
 * that a crash leaves no gap; call `settle` once the version is there.
 */
export function reserve(ledger: Ledger, wish: { contentHash: string; chosen?: string }): Reservation {
  const open = ledger.pending;
  if (
    open !== undefined &&
    open.contentHash === wish.contentHash &&
    (wish.chosen ?? open.name) === open.name
  ) {
    return { ledger, name: open.name, sequence: ledger.sequence };
  }
  const name = wish.chosen ?? nextAutomaticName(ledger);
  if (isNameUsed(ledger, name)) throw new RangeError('the version name was used before');
  const sequence = ledger.sequence + 1;
  const pending = { name, contentHash: wish.contentHash };
  if (wish.chosen === undefined) {
    return {
      name,
      sequence,
      ledger: { ...ledger, sequence, pending, patch: automaticPatch(name) ?? ledger.patch },
    };
  }
  return {
    name,
    sequence,
    ledger: { ...ledger, sequence, pending, chosen: new Set([...ledger.chosen, shortHash(name)]) },
  };
}

/** The ledger once the reserved version exists: from now on, that it is missing means that it was deleted. */
export function settle({ pending: _, ...ledger }: Ledger): Ledger {
  return ledger;
}

/** One line of JSON: short, since all annotations of an object share 256 KiB. */
export function formatLedger(ledger: Ledger): string {
  return JSON.stringify({ ...ledger, chosen: [...ledger.chosen].sort().join(' ') });
}

/** Undefined when the text is not a ledger: somebody edited it, and guessing could give a name out twice. */
export function parseLedger(text: string): Ledger | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { sequence, patch, chosen, pending } = value as Record<string, unknown>;
  if (!isCount(sequence, 0) || !isCount(patch, -1) || typeof chosen !== 'string') return undefined;
  const settled = { sequence, patch, chosen: new Set(chosen.split(' ').filter((hash) => hash !== '')) };
  if (pending === undefined) return settled;
  return isPending(pending) ? { ...settled, pending } : undefined;
}

function isPending(value: unknown): value is { name: string; contentHash: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { name, contentHash } = value as Record<string, unknown>;
  return typeof name === 'string' && typeof contentHash === 'string';
}

function isCount(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}
