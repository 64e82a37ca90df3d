import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { RevisionCompacted, type Stored, type StoreEvent } from './stored.ts';

export interface ListOptions {
  /** Returns only keys after this one, for the next page. */
  after?: string;
  limit?: number;
  /** Lists the state at this revision. Defaults to the current state. */
  at?: number;
}

export interface StoredList {
  items: Stored[];
  /** The revision of the store that the list shows. */
  revision: number;
  /** Whether there are more keys after the last item. */
  more: boolean;
}

const columns = 'revision, key, create_revision AS createRevision, version, value';

/** Reads the committed state: current objects, objects at an earlier revision, and changes. */
export class Reader {
  readonly #get: StatementSync;
  readonly #listNow: StatementSync;
  readonly #listAt: StatementSync;
  readonly #countAt: StatementSync;
  readonly #changes: StatementSync;
  readonly #predecessor: StatementSync;
  readonly #revision: StatementSync;
  readonly #compacted: StatementSync;
  readonly #revisionBefore: StatementSync;

  constructor(database: DatabaseSync) {
    const prepare = (sql: string) => database.prepare(sql);
    const joined = `SELECT ${columns} FROM revisions JOIN bodies USING (revision)`;
    this.#get = prepare(`${joined} WHERE key = ? AND superseded IS NULL AND deleted = 0`);
    const range = 'key > ? AND key < ?';
    this.#listNow = prepare(
      `${joined} WHERE ${range} AND superseded IS NULL AND deleted = 0 ORDER BY key LIMIT ?`,
    );
    this.#listAt = prepare(
      `${joined} WHERE ${range} AND revision <= ?4 AND (superseded IS NULL OR superseded > ?4) AND deleted = 0 ORDER BY key LIMIT ?3`,
    );
    this.#countAt = prepare(
      `SELECT count(*) AS value FROM revisions WHERE ${range} AND revision <= ?3 AND (superseded IS NULL OR superseded > ?3) AND deleted = 0`,
    );
    this.#changes = prepare(
      `SELECT deleted, ${columns} FROM revisions JOIN bodies USING (revision) WHERE revision > ? AND revision <= ? ORDER BY revision`,
    );
    this.#predecessor = prepare(`${joined} WHERE superseded = ? AND deleted = 0`);
    this.#revision = prepare('SELECT coalesce(max(revision), 0) AS value FROM revisions');
    this.#compacted = prepare(`SELECT value FROM facts WHERE name = 'compacted'`);
    this.#revisionBefore = prepare(
      'SELECT coalesce(max(revision), 0) AS value FROM revisions WHERE written_at < ?',
    );
  }

  get(key: string): Stored | undefined {
    return this.#get.get(key) as Stored | undefined;
  }

  list(prefix: string, { after, limit, at }: ListOptions, revision: number): StoredList {
    const from = after === undefined || after < prefix ? prefix : after;
    // One row beyond the limit shows whether there are more keys. -1 means no limit.
    const rows = limit === undefined ? -1 : limit + 1;
    // U+10FFFF is the highest character that can follow the prefix in UTF-8 order.
    const to = `${prefix}\u{10ffff}`;
    const items = (at === undefined
      ? this.#listNow.all(from, to, rows)
      : this.#listAt.all(from, to, rows, at)) as unknown as Stored[];
    const more = limit !== undefined && items.length > limit;
    return { items: more ? items.slice(0, limit) : items, revision: at ?? revision, more };
  }

  /** The number of keys after `after` at revision `at`. */
  count(prefix: string, { after, at }: { after: string; at: number }): number {
    return (this.#countAt.get(after, `${prefix}\u{10ffff}`, at) as { value: number }).value;
  }

  /** All changes after revision `after`, up to and including `upTo`. */
  *changes(after: number, upTo: number): Generator<StoreEvent> {
    const compacted = this.compacted();
    if (after < compacted) throw new RevisionCompacted(after, compacted);
    for (const row of this.#changes.iterate(after, upTo)) {
      const { deleted, ...now } = row as unknown as Stored & { deleted: number };
      yield {
        type: deleted === 1 ? 'delete' : 'put',
        revision: now.revision,
        now,
        before: () => this.#predecessor.get(now.revision) as Stored | undefined,
      };
    }
  }

  /** Never decreases, even when compaction has removed the newest change because it was a delete. */
  revision(): number {
    return Math.max((this.#revision.get() as { value: number }).value, this.compacted());
  }

  compacted(): number {
    return (this.#compacted.get() as { value: number }).value;
  }

  /** The newest revision written before this time. */
  revisionBefore(moment: number): number {
    return (this.#revisionBefore.get(moment) as { value: number }).value;
  }
}
