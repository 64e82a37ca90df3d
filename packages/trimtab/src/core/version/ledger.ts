import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { formatRanges, hasNumber, type NumberRanges, parseRanges, withNumber } from './number-ranges.ts';
import { objectSuffix, shortHash } from './object-names.ts';
import { automaticName, automaticPatch } from './version-name.ts';

/**
 * What a ConfigRollout remembers of versions that no longer exist, so that no name is used twice. Existing versions
 * hold their names themselves: their objects cannot be created twice. The ledger is written when the rollout is
 * created and before a version is deleted.
 */
export interface Ledger {
  /** The highest sequence number that was in use when the ledger was written; 0 before the first version. */
  sequence: number;
  /** The highest N of a name `1.0.N` at that time; -1 before the first. */
  patch: number;
  /** N of each deleted version `1.0.N`. */
  deletedNumbers: NumberRanges;
  /** Short hashes of all other names of deleted versions. */
  deletedNames: ReadonlySet<string>;
  /**
   * The objects of the versions that were deleted last, as `suffix:uid`. A version with a deleted name and another uid
   * was created by a writer that did not know of the deletion: it is void.
   */
  deletedObjects: readonly string[];
}

/** What identifies a version in the ledger. */
export interface LedgerVersion {
  name: string;
  object: string;
  uid: string;
  sequence: number;
}

export const emptyLedger: Ledger = {
  sequence: 0,
  patch: -1,
  deletedNumbers: [],
  deletedNames: new Set(),
  deletedObjects: [],
};

/** Whether a version with this name was deleted, or is about to be. */
export function isDeletedName({ deletedNumbers, deletedNames }: Ledger, name: string): boolean {
  const patch = automaticPatch(name);
  return patch === undefined ? deletedNames.has(shortHash(name)) : hasNumber(deletedNumbers, patch);
}

/** Whether the ledger records the deletion of exactly this object. */
export function isRecorded(
  { deletedObjects }: Ledger,
  version: Pick<LedgerVersion, 'object' | 'uid'>,
): boolean {
  return deletedObjects.includes(recordOf(version));
}

/** Whether the ledger records the deletion of an object of this name. It forgets all but the newest records. */
export function isDeletedObject({ deletedObjects }: Ledger, object: string): boolean {
  return deletedObjects.some((record) => record.startsWith(`${objectSuffix(object)}:`));
}

/** Whether a version has the name of a deleted one. It is never assigned to a workload, and it is removed. */
export function isVoid(ledger: Ledger, version: Pick<LedgerVersion, 'name' | 'object' | 'uid'>): boolean {
  return isDeletedName(ledger, version.name) && !isRecorded(ledger, version);
}

/** Returns a ledger whose marks are at or above these versions. */
function raiseMarks(ledger: Ledger, versions: readonly Pick<LedgerVersion, 'name' | 'sequence'>[]): Ledger {
  const patches = versions.map(({ name }) => automaticPatch(name) ?? -1);
  return {
    ...ledger,
    sequence: Math.max(ledger.sequence, ...versions.map(({ sequence }) => sequence)),
    patch: Math.max(ledger.patch, ...patches),
  };
}

/**
 * Returns the ledger of a rollout that has none: from all versions of the config that exist, whatever rollout created
 * them. A number below the highest one that no version has is taken for deleted.
 */
export function rebuildLedger(existing: readonly LedgerVersion[]): Ledger {
  const ledger = raiseMarks(emptyLedger, existing);
  const numbers = existing.flatMap(({ name }) => automaticPatch(name) ?? []).sort((a, b) => a - b);
  let next = 0;
  const gaps: [number, number][] = [];
  for (const number of numbers) {
    if (number > next) gaps.push([next, number - 1]);
    next = Math.max(next, number + 1);
  }
  return { ...ledger, deletedNumbers: gaps };
}

/** Older records are dropped, because the names stay. The limit keeps the annotation short. */
const maxObjects = 50;

/**
 * Returns the ledger to write before `going` are deleted. `existing` are all version objects of the config: the record
 * of an object that still exists is kept, or the object would become void.
 */
export function recordDeletions(
  ledger: Ledger,
  going: readonly LedgerVersion[],
  existing: readonly LedgerVersion[],
): Ledger {
  const marked = raiseMarks(ledger, [...going, ...existing]);
  const isNew = (version: LedgerVersion) => !isRecorded(ledger, version) && !isVoid(ledger, version);
  const recorded = [...ledger.deletedObjects, ...going.filter(isNew).map(recordOf)];
  const alive = new Set([...existing, ...going].map(recordOf));
  const tooMany = recorded.length - maxObjects;
  return {
    ...marked,
    deletedNumbers: going.reduce<NumberRanges>((numbers, { name }) => {
      const patch = automaticPatch(name);
      return patch === undefined ? numbers : withNumber(numbers, patch);
    }, ledger.deletedNumbers),
    deletedNames: new Set([
      ...ledger.deletedNames,
      ...going.flatMap(({ name }) => (automaticPatch(name) === undefined ? [shortHash(name)] : [])),
    ]),
    deletedObjects: recorded.filter((record, index) => index >= tooMany || alive.has(record)),
  };
}

/** The lengths of the two parts of a record. So much of the uid tells two objects of one name apart. */
export const recordLength = { suffix: 10, uid: 8 } as const;

function recordOf({ object, uid }: Pick<LedgerVersion, 'object' | 'uid'>): string {
  return `${objectSuffix(object)}:${uid.slice(0, recordLength.uid)}`;
}

/**
 * Returns the automatic name that follows all names that were ever used. `isTaken` tells which other names cannot be
 * used: those of existing versions.
 */
export function nextAutomaticName(
  ledger: Ledger,
  existing: readonly Pick<LedgerVersion, 'name' | 'sequence'>[],
  isTaken: (name: string) => boolean,
): string {
  let { patch } = raiseMarks(ledger, existing);
  const names = new Set(existing.map(({ name }) => name));
  let name: string;
  do {
    patch += 1;
    name = automaticName(patch);
  } while (names.has(name) || isDeletedName(ledger, name) || isTaken(name));
  return name;
}

/** Returns the sequence number of the next version. Concurrent writers may use the same number; see `byCreation`. */
export function nextSequence(
  ledger: Ledger,
  existing: readonly Pick<LedgerVersion, 'name' | 'sequence'>[],
): number {
  return raiseMarks(ledger, existing).sequence + 1;
}

/** One line of JSON, kept short because all annotations of an object share 256 KiB. */
export function formatLedger({ sequence, patch, ...deleted }: Ledger): string {
  return JSON.stringify({
    sequence,
    patch,
    deletedNumbers: formatRanges(deleted.deletedNumbers),
    deletedNames: [...deleted.deletedNames].sort().join(' '),
    deletedObjects: deleted.deletedObjects.join(' '),
  });
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
  const { sequence, patch, deletedNumbers, deletedNames, deletedObjects } = value as Record<string, unknown>;
  if (!isCount(sequence, 0) || !isCount(patch, -1)) return undefined;
  if (typeof deletedNames !== 'string' || typeof deletedObjects !== 'string') return undefined;
  const numbers = typeof deletedNumbers === 'string' ? parseRanges(deletedNumbers) : undefined;
  if (numbers === undefined) return undefined;
  return {
    sequence,
    patch,
    deletedNumbers: numbers,
    deletedNames: new Set(words(deletedNames)),
    deletedObjects: words(deletedObjects),
  };
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

function isCount(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

/** The part of a rollout that holds its ledger. */
type LedgerHolder = Pick<ConfigRollout, 'metadata'>;

const parsed = new WeakMap<LedgerHolder, Ledger | 'damaged' | 'missing'>();

/** The ledger of a rollout, or why there is none. No version may be created before the ledger is written. */
export function ledgerOf(rollout: LedgerHolder): Ledger | 'damaged' | 'missing' {
  const known = parsed.get(rollout);
  if (known !== undefined) return known;
  const text = rollout.metadata.annotations?.[annotations.ledger];
  const ledger = text === undefined ? 'missing' : (parseLedger(text) ?? 'damaged');
  parsed.set(rollout, ledger);
  return ledger;
}

/** The ledger of a rollout; empty while there is none, so that no version is void. */
export function knownLedger(rollout: LedgerHolder): Ledger {
  const ledger = ledgerOf(rollout);
  return typeof ledger === 'string' ? emptyLedger : ledger;
}
