import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { Store } from './store.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-store-'));
  file = join(folder, 'state', 'cluster.db');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function filled(): Promise<void> {
  const store = new Store({ file });
  for (let i = 0; i < 200; i++)
    await store.write({ type: 'put', key: `/registry/a/${i}`, expect: 'absent', render: String });
  store.close();
}

describe('a database is opened again', () => {
  test('with everything in it, and counts on', async () => {
    await filled();
    const store = new Store({ file });
    expect(store.list('/registry/a/').items).toHaveLength(200);
    expect(store.revision).toBe(200);
    const next = await store.write({ type: 'put', key: '/registry/b', expect: 'absent', render: String });
    expect(next.revision).toBe(201);
    store.close();
  });

  test('after a delete was compacted, no revision is given out twice', async () => {
    await filled();
    const store = new Store({ file });
    await store.write({ type: 'delete', key: '/registry/a/0', expect: 1, render: String });
    store.compactBefore(Number.MAX_SAFE_INTEGER);
    store.close();
    const again = new Store({ file });
    expect(again.revision).toBe(201);
    again.close();
  });
});

describe('what cannot be used is refused and left as it is', () => {
  const refusal = (why: RegExp) => {
    const before = readFileSync(file);
    expect(() => openDatabase(file)).toThrow(why);
    expect(readFileSync(file).equals(before)).toBe(true);
  };

  test('a file that is no database', async () => {
    await filled();
    writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\n'.repeat(200));
    refusal(/the file is not a database\. The file was not changed/);
  });

  test('a database of another program', async () => {
    openDatabase(join(folder, 'other.db')).close();
    file = join(folder, 'theirs.db');
    const theirs = new DatabaseSync(file);
    theirs.exec('CREATE TABLE accounts (id)');
    theirs.close();
    refusal(/a database of another program/);
  });

  test('one that a newer version of the program has written', async () => {
    await filled();
    const newer = new DatabaseSync(file);
    newer.exec('PRAGMA journal_mode = DELETE; PRAGMA user_version = 99');
    newer.close();
    refusal(/the database has format 99, and this version supports only format 1/);
  });

  test('a damaged one', async () => {
    await filled();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096, bytes.length);
    writeFileSync(file, bytes);
    refusal(/damaged/);
  });

  test('one that another process has open', async () => {
    const store = new Store({ file });
    await store.write({ type: 'put', key: '/registry/a', expect: 'absent', render: String });
    expect(() => openDatabase(file)).toThrow(/the database is in use by another process/);
    store.close();
  });
});

test('a batch in which one change conflicts keeps the others, in order', async () => {
  const store = new Store({ file });
  const put = (key: string) => store.write({ type: 'put', key, expect: 'absent', render: String });
  const results = await Promise.allSettled([put('/a'), put('/a'), put('/b')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(store.revision).toBe(2);
  expect(store.get('/b')?.revision).toBe(2);
  store.close();
});
