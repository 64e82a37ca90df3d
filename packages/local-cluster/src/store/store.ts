import type { DatabaseSync } from 'node:sqlite';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { openDatabase } from './database.ts';
import { type Disk, diskOf } from './disk.ts';
import { type ListOptions, Reader, type StoredList } from './reader.ts';
import { RevisionCompacted, type Stored, type StoreEvent } from './stored.ts';
import { type Change, Writer } from './writer.ts';

export interface StoreOptions {
  /** Path of the database file, or `:memory:`. */
  file: string;
  clock?: Clock;
}

export type StoreListener = (event: StoreEvent) => void;

/** All objects of a local cluster with their history. It corresponds to etcd in Kubernetes. */
export class Store {
  readonly #database: DatabaseSync;
  readonly #reader: Reader;
  readonly #writer: Writer;
  readonly #disk: Disk;
  readonly #listeners = new Set<StoreListener>();

  constructor({ file, clock = systemClock }: StoreOptions) {
    this.#database = openDatabase(file);
    this.#reader = new Reader(this.#database);
    this.#disk = diskOf(file);
    this.#writer = new Writer(
      this.#database,
      this.#reader,
      () => clock.now(),
      (events) => {
        for (const event of events) for (const listener of this.#listeners) listener(event);
      },
      this.#disk,
    );
  }

  get revision(): number {
    return this.#writer.revision;
  }

  /** The newest revision that has been announced to all watchers. */
  get announced(): number {
    return this.#writer.announced;
  }

  get(key: string): Stored | undefined {
    return this.#writer.get(key);
  }

  /** Throws RevisionCompacted when the requested revision has been compacted. */
  list(prefix: string, options: ListOptions = {}): StoredList {
    if (options.at !== undefined && options.at < this.#reader.compacted())
      throw new RevisionCompacted(options.at, this.#reader.compacted());
    return this.#reader.list(prefix, options, this.revision);
  }

  /** The number of keys that a list at revision `at` has after the key `after`. */
  count(prefix: string, from: { after: string; at: number }): number {
    return this.#reader.count(prefix, from);
  }

  /** The oldest revision that lists and watches can start from. */
  get compacted(): number {
    return this.#reader.compacted();
  }

  /** Resolves when the change is on the disk. Rejects with StoreConflict or the OperationalError `StoreUnusable`. */
  write(change: Change): Promise<Stored> {
    return this.#writer.write(change);
  }

  /**
   * Calls the listener for every change after a revision, in order. Changes that are already announced are delivered
   * before this method returns, later ones when they are announced. A change that is committed but not yet on the disk
   * is announced later, even when its revision is not after `after`. Throws RevisionCompacted. Listeners must be fast
   * and must not throw.
   */
  watch(after: number, listener: StoreListener): () => void {
    for (const event of this.#reader.changes(after, this.#writer.announced)) listener(event);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Removes history superseded before this time and keeps the current state. Returns the oldest remaining revision. */
  compactBefore(moment: number): number {
    const upTo = this.#reader.revisionBefore(moment);
    if (upTo <= this.#reader.compacted()) return this.#reader.compacted();
    const gone = `SELECT revision FROM revisions WHERE superseded <= ${upTo} OR (deleted = 1 AND superseded IS NULL AND revision <= ${upTo})`;
    this.#database.exec(`
      BEGIN IMMEDIATE;
      DELETE FROM bodies WHERE revision IN (${gone});
      DELETE FROM revisions WHERE revision IN (${gone});
      UPDATE facts SET value = ${upTo} WHERE name = 'compacted';
      COMMIT;
    `);
    return upTo;
  }

  close(): void {
    this.#writer.finish();
    this.#listeners.clear();
    this.#disk.close();
    this.#database.close();
  }
}
