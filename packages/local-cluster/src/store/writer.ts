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
  /** The revision that the writer has seen; `absent` for a creation. Anything else there is a StoreConflict. */
  expect: number | 'absent';
  /** The object's text once its revision is known: it holds it. */
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

/** Some megabytes of memory at the most. */
const mostRecentChars = 2 * 1024 * 1024;

/**
 * The one writer. Changes that are asked for at the same time are one transaction, and those that are committed while
 * the disk is busy share the next wait for it; each is told and answered when it is there, in order, and none of them
 * can spoil another one.
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
  /** Committed, and not known to be on the disk. */
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

  /** Of the newest change. */
  get revision(): number {
    return this.#revision;
  }

  /** Of the newest change that everybody was told of: it is on the disk. */
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

  /** Commits what waits, now. */
  flush(): void {
    const batch = this.#pending;
    if (batch.length === 0) return;
    this.#pending = [];
    const outcomes: Outcome[] = [];
    let revision = this.#revision;
    try {
      this.#begin.run();
      // What this batch has changed already is not in `recent` before it is committed.
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

  /** Commits what waits and answers everybody, before it returns. */
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

  /** After a failure they can be read, and may be gone after a power cut: nobody is assured of them. */
  #answer(batches: number, failure: OperationalError | undefined): void {
    for (const outcomes of this.#unsynced.splice(0, batches)) {
      const events = outcomes.flatMap(({ event }) => event ?? []);
      this.#announced = events.at(-1)?.revision ?? this.#announced;
      // Watchers first: whoever is told of a write finds it announced already.
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
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
  }
}

function unusable(cause: unknown): OperationalError {
  return new OperationalError(storeUnusable, `the store cannot write: ${messageOf(cause)}`, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
