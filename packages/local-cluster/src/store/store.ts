import type { DatabaseSync } from 'node:sqlite';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { openDatabase } from './database.ts';
import { type Disk, diskOf } from './disk.ts';
import { type ListOptions, Reader, type StoredList } from './reader.ts';
import { RevisionCompacted, type Stored, type StoreEvent } from './stored.ts';
import { type Change, Writer } from './writer.ts';

export interface StoreOptions {
  /** `:memory:` for tests. */
  file: string;
  clock?: Clock;
}

export type StoreListener = (event: StoreEvent) => void;

/** All objects of a local cluster with their history: what etcd is to Kubernetes. */
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

  /** Up to here, every watcher was told of everything. */
  get announced(): number {
    return this.#writer.announced;
  }

  get(key: string): Stored | undefined {
    return this.#writer.get(key);
  }

  /** Throws RevisionCompacted for a moment that is forgotten. */
  list(prefix: string, options: ListOptions = {}): StoredList {
    if (options.at !== undefined && options.at < this.#reader.compacted())
      throw new RevisionCompacted(options.at, this.#reader.compacted());
    return this.#reader.list(prefix, options, this.revision);
  }

  /** How many keys a list at a revision has after one of them. */
  count(prefix: string, from: { after: string; at: number }): number {
    return this.#reader.count(prefix, from);
  }

  /** The oldest revision that lists and watches can start from. */
  get compacted(): number {
    return this.#reader.compacted();
  }

  /** Resolves when it is on the disk; rejects with StoreConflict or a OperationalError `StoreUnusable`. */
  write(change: Change): Promise<Stored> {
    return this.#writer.write(change);
  }

  /**
   * Every change after a revision, in order: those that were announced already before this returns, the others as they
   * are. One that can be read and is still on its way to the disk may be announced though `after` is not before it.
   * Throws RevisionCompacted. Listeners must be quick and must not throw.
   */
  watch(after: number, listener: StoreListener): () => void {
    for (const event of this.#reader.changes(after, this.#writer.announced)) listener(event);
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Forgets what was superseded before a moment; what there is stays. Answers the oldest revision left. */
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
