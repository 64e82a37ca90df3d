import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { OperationalError } from '@trimtab/kube/errors.ts';
import { storeUnusable } from '../errors.ts';
import type { Disk } from './disk.ts';
import type { Reader } from './reader.ts';
import { Recent } from './recent.ts';
import { StoreConflict, type Stored, type StoreEvent } from './stored.ts';

export interface Change {
  type: 'put' | 'delete';
  key: string;
  /** The expected current revision, or `absent` for a creation. A different state causes a StoreConflict. */
  expect: number | 'absent';
  /** Renders the object's JSON text. The text contains the revision, which is known only at commit. */
  render(revision: number): string;
}

interface Pending {
  change: Change;
  resolve(stored: Stored): void;
  reject(error: unknown): void;
}

interface Outcome {
  pending: Pending;
  event: StoreEvent | undefined;
  error?: unknown;
}

/** Limits the cache of recent objects to a few megabytes of memory. */
const mostRecentChars = 2 * 1024 * 1024;

/**
 * The only writer of the database. Changes that are requested at the same time share one transaction. Transactions that
 * are committed during a disk sync share the next sync. Changes are announced and acknowledged in order after their
 * sync. A conflicting change does not affect the others of its transaction.
 */
export class Writer {
  readonly #reader: Reader;
  readonly #now: () => number;
  readonly #announce: (events: StoreEvent[]) => void;
  readonly #disk: Disk;
  readonly #recent = new Recent(mostRecentChars);
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #supersede: StatementSync;
  readonly #insert: StatementSync;
  readonly #insertBody: StatementSync;
  #pending: Pending[] = [];
  /** Committed changes that are not yet synced to the disk. */
  #unsynced: Outcome[][] = [];
  #isSyncing = false;
  #revision: number;
  #announced: number;

  constructor(
    database: DatabaseSync,
    reader: Reader,
    now: () => number,
    announce: (events: StoreEvent[]) => void,
    disk: Disk,
  ) {
    this.#reader = reader;
    this.#now = now;
    this.#announce = announce;
    this.#disk = disk;
    this.#revision = reader.revision();
    this.#announced = this.#revision;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
    this.#supersede = database.prepare(
      'UPDATE revisions SET superseded = ? WHERE key = ? AND superseded IS NULL',
    );
    this.#insert = database.prepare('INSERT INTO revisions VALUES (?, ?, ?, ?, ?, NULL, ?)');
    this.#insertBody = database.prepare('INSERT INTO bodies VALUES (?, ?)');
  }

  /** Revision of the newest committed change. */
  get revision(): number {
    return this.#revision;
  }

  /** Revision of the newest change that is on the disk and has been announced to watchers. */
  get announced(): number {
    return this.#announced;
  }

  get(key: string): Stored | undefined {
    const known = this.#recent.get(key);
    if (known !== undefined) return known;
    const found = this.#reader.get(key);
    if (found !== undefined) this.#recent.set(found);
    return found;
  }

  write(change: Change): Promise<Stored> {
    return new Promise((resolve, reject) => {
      if (this.#pending.push({ change, resolve, reject }) === 1) setImmediate(() => this.flush());
    });
  }

  /** Commits all pending changes immediately. */
  flush(): void {
    const batch = this.#pending;
    if (batch.length === 0) return;
    this.#pending = [];
    const outcomes: Outcome[] = [];
    let revision = this.#revision;
    try {
      this.#begin.run();
      // Changes of this batch enter the recent cache only after the commit, so they are kept here until then.
      const changed = new Map<string, Stored | undefined>();
      for (const pending of batch) {
        try {
          outcomes.push({ pending, event: this.#apply(pending.change, revision + 1, changed) });
          revision += 1;
        } catch (error) {
          if (!(error instanceof StoreConflict)) throw error;
          outcomes.push({ pending, event: undefined, error });
        }
      }
      this.#commit.run();
    } catch (cause) {
      this.#rollBack();
      for (const { reject } of batch) reject(unusable(cause));
      return;
    }
    this.#revision = revision;
    for (const { event } of outcomes) {
      if (event?.type === 'put') this.#recent.set(event.now);
      else if (event !== undefined) this.#recent.delete(event.now.key);
    }
    this.#unsynced.push(outcomes);
    void this.#sync();
  }

  /** Commits, syncs and settles all pending changes before it returns. */
  finish(): void {
    this.flush();
    if (this.#unsynced.length === 0) return;
    let failure: OperationalError | undefined;
    try {
      this.#disk.syncNow();
    } catch (cause) {
      failure = unusable(cause);
    }
    this.#answer(this.#unsynced.length, failure);
  }

  /** Never rejects. */
  async #sync(): Promise<void> {
    if (this.#isSyncing) return;
    this.#isSyncing = true;
    while (this.#unsynced.length > 0) {
      const count = this.#unsynced.length;
      const failure = await this.#disk.sync().then(
        () => undefined,
        (cause: unknown) => unusable(cause),
      );
      this.#answer(count, failure);
    }
    this.#isSyncing = false;
  }

  /**
   * Settles the oldest unsynced batches. After a failed sync the changes are readable but may be lost in a power cut:
   * their writers get the error.
   */
  #answer(batches: number, failure: OperationalError | undefined): void {
    for (const outcomes of this.#unsynced.splice(0, batches)) {
      const events = outcomes.flatMap(({ event }) => event ?? []);
      this.#announced = events.at(-1)?.revision ?? this.#announced;
      // Watchers first: when a writer gets its response, the change has already been announced.
      this.#announce(events);
      for (const { pending, event, error = failure } of outcomes) {
        if (event === undefined || error !== undefined) pending.reject(error);
        else pending.resolve(event.now);
      }
    }
  }

  #apply(
    { type, key, expect, render }: Change,
    revision: number,
    changed: Map<string, Stored | undefined>,
  ): StoreEvent {
    const found = changed.has(key) ? changed.get(key) : this.get(key);
    if (expect === 'absent' ? found !== undefined : found?.revision !== expect)
      throw new StoreConflict(found);
    const createRevision = found?.createRevision ?? revision;
    const version = (found?.version ?? 0) + 1;
    const value = render(revision);
    this.#supersede.run(revision, key);
    this.#insert.run(revision, key, createRevision, version, type === 'delete' ? 1 : 0, this.#now());
    this.#insertBody.run(revision, value);
    const now = { key, value, revision, createRevision, version };
    changed.set(key, type === 'delete' ? undefined : now);
    return { type, revision, now, before: () => found };
  }

  #rollBack(): void {
    try {
      this.#rollback.run();
    } catch {
      // SQLite has already rolled back, as it does when the disk is full.
    }
  }
}

function unusable(cause: unknown): OperationalError {
  return new OperationalError(storeUnusable, `writing to the store failed: ${messageOf(cause)}`, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
