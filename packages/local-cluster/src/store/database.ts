import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { OperationalError } from '@trimtab/kube/errors.ts';
import { storeUnusable } from '../errors.ts';

/** 'TRIM' in ASCII: distinguishes these files from other SQLite databases. */
const applicationId = 0x5452494d;
const schemaVersion = 1;

/**
 * `revisions` is the history: one small row per change, `superseded` by the next change of the same key. Rows that are
 * not superseded are the current state. Bodies are in a separate table: superseding a row does not rewrite its body.
 */
const schema = `
  CREATE TABLE revisions (
    revision INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    create_revision INTEGER NOT NULL,
    version INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    superseded INTEGER,
    written_at INTEGER NOT NULL
  );
  CREATE UNIQUE INDEX live ON revisions (key) WHERE superseded IS NULL;
  CREATE INDEX history ON revisions (key, revision);
  CREATE INDEX successors ON revisions (superseded) WHERE superseded IS NOT NULL;
  CREATE TABLE bodies (revision INTEGER PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE facts (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
  INSERT INTO facts VALUES ('compacted', 0);
`;

/**
 * Opens or creates the database of a local cluster. A file that is damaged, newer or not a local cluster's is rejected
 * and left unchanged: silently starting an empty cluster would hide the user's data.
 */
export function openDatabase(file: string): DatabaseSync {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    // The exclusive lock is held until the process that opened the database exits.
    database.exec('PRAGMA busy_timeout = 1000; PRAGMA locking_mode = EXCLUSIVE');
    const found = numberOf(database, 'PRAGMA application_id');
    const tables = numberOf(database, 'SELECT count(*) FROM sqlite_schema');
    if (found === 0 && tables === 0) create(database);
    else check(database, file, found);
    // NORMAL: a commit does not wait for the disk. The writer syncs before it acknowledges a change.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192');
    return database;
  } catch (error) {
    database?.close();
    throw error instanceof OperationalError ? error : unusable(file, reasonOf(error), error);
  }
}

function create(database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE');
  database.exec(schema);
  database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`);
  database.exec('COMMIT');
}

function check(database: DatabaseSync, file: string, found: number): void {
  if (found !== applicationId) throw unusable(file, 'the file is a database of another program');
  const version = numberOf(database, 'PRAGMA user_version');
  if (version > schemaVersion)
    throw unusable(
      file,
      `the database has format ${version}, and this version supports only format ${schemaVersion}: update the program`,
    );
  const [result] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {});
  if (result !== 'ok') throw unusable(file, `the database is damaged: ${result}`);
}

function numberOf(database: DatabaseSync, query: string): number {
  const [value] = Object.values(database.prepare(query).get() ?? {});
  return Number(value);
}

function unusable(file: string, why: string, cause?: unknown): OperationalError {
  return new OperationalError(storeUnusable, `${file}: ${why}. The file was not changed.`, { cause });
}

function reasonOf(error: unknown): string {
  const { errcode } = error as { errcode?: number };
  // SQLite's primary result codes. Extended codes contain the primary code in their low byte.
  switch (errcode === undefined ? undefined : errcode & 0xff) {
    case 5:
      return 'the database is in use by another process';
    case 11:
      return 'the database is damaged';
    case 14:
      return 'the database cannot be opened: check that the folder exists and is writable';
    case 26:
      return 'the file is not a database';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
