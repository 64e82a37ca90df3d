import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { TrimtabError } from '../../api/errors.ts';
import type { Reader } from './reader.ts';
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

/**
 * The one writer. Changes that are asked for at the same time are one transaction, so that they share the wait for
 * the disk; each is answered when it is there, and none of them can spoil another one.
 */
export class Writer {
  readonly #database: DatabaseSync;
  readonly #reader: Reader;
  readonly #now: () => number;
  readonly #committed: (events: StoreEvent[]) => void;
  readonly #supersede: StatementSync;
  readonly #insert: StatementSync;
  readonly #insertBody: StatementSync;
  #pending: Pending[] = [];
  #revision: number;

  constructor(
    database: DatabaseSync,
    reader: Reader,
    now: () => number,
    committed: (events: StoreEvent[]) => void,
  ) {
    this.#database = database;
    this.#reader = reader;
    this.#now = now;
    this.#committed = committed;
    this.#revision = reader.revision();
    this.#supersede = database.prepare(
      'UPDATE revisions SET superseded = ? WHERE key = ? AND superseded IS NULL',
    );
    this.#insert = database.prepare('INSERT INTO revisions VALUES (?, ?, ?, ?, ?, NULL, ?)');
    this.#insertBody = database.prepare('INSERT INTO bodies VALUES (?, ?)');
  }

  /** Of the newest change that is on the disk. */
  get revision(): number {
    return this.#revision;
  }

  write(change: Change): Promise<Stored> {
    return new Promise((resolve, reject) => {
      if (this.#pending.push({ change, resolve, reject }) === 1) setImmediate(() => this.flush());
    });
  }

  /** Writes what waits, now. */
  flush(): void {
    const batch = this.#pending;
    if (batch.length === 0) return;
    this.#pending = [];
    const outcomes: { pending: Pending; event: StoreEvent | undefined; error?: unknown }[] = [];
    let revision = this.#revision;
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      for (const pending of batch) {
        try {
          outcomes.push({ pending, event: this.#apply(pending.change, revision + 1) });
          revision += 1;
        } catch (error) {
          if (!(error instanceof StoreConflict)) throw error;
          outcomes.push({ pending, event: undefined, error });
        }
      }
      this.#database.exec('COMMIT');
    } catch (cause) {
      this.#rollBack();
      const failure = new TrimtabError('StoreUnusable', `the store cannot write: ${messageOf(cause)}`, {
        cause,
      });
      for (const { reject } of batch) reject(failure);
      return;
    }
    this.#revision = revision;
    // Watchers first: whoever is told of a write finds it announced already.
    this.#committed(outcomes.flatMap(({ event }) => event ?? []));
    for (const { pending, event, error } of outcomes) {
      if (event === undefined) pending.reject(error);
      else pending.resolve(event.now);
    }
  }

  #apply({ type, key, expect, render }: Change, revision: number): StoreEvent {
    const found = this.#reader.get(key);
    if (expect === 'absent' ? found !== undefined : found?.revision !== expect)
      throw new StoreConflict(found);
    const createRevision = found?.createRevision ?? revision;
    const version = (found?.version ?? 0) + 1;
    const value = render(revision);
    this.#supersede.run(revision, key);
    this.#insert.run(revision, key, createRevision, version, type === 'delete' ? 1 : 0, this.#now());
    this.#insertBody.run(revision, value);
    const now = { key, value, revision, createRevision, version };
    return { type, revision, now, before: () => found };
  }

  #rollBack(): void {
    try {
      this.#database.exec('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full.
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
