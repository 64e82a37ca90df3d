import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import type { Disk } from './disk.ts';
import { Reader } from './reader.ts';
import { Writer } from './writer.ts';

/** A disk whose syncs complete when the test calls `end`. */
class SlowDisk implements Disk {
  readonly #waiting: PromiseWithResolvers<void>[] = [];

  sync(): Promise<void> {
    const each = Promise.withResolvers<void>();
    this.#waiting.push(each);
    return each.promise;
  }

  syncNow(): void {}
  close(): void {}

  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  end(failure?: Error): void {
    const each = this.#waiting.shift();
    if (failure === undefined) each?.resolve();
    else each?.reject(failure);
  }
}

let database: DatabaseSync;
let disk: SlowDisk;
let writer: Writer;
let told: string[];

beforeEach(() => {
  database = openDatabase(':memory:');
  disk = new SlowDisk();
  told = [];
  const announce = (events: { now: { key: string } }[]) => {
    if (events.length > 0) told.push(`watchers: ${events.map(({ now }) => now.key).join(' ')}`);
  };
  writer = new Writer(database, new Reader(database), () => 0, announce, disk);
});

afterEach(() => database.close());

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function put(key: string): void {
  writer.write({ type: 'put', key, expect: 'absent', render: String }).then(
    () => told.push(`writer: ${key}`),
    (error: Error) => told.push(`refused: ${key} (${error.message})`),
  );
  writer.flush();
}

test('a change can be read at once, and is told when it is on the disk: first to watchers', async () => {
  put('/a');
  expect(writer.get('/a')?.revision).toBe(1);
  await turn();
  expect([told, writer.revision, writer.announced]).toEqual([[], 1, 0]);
  disk.end();
  await turn();
  expect([told, writer.announced]).toEqual([['watchers: /a', 'writer: /a'], 1]);
});

test('what is committed while the disk is busy shares the next wait, in order', async () => {
  put('/a');
  put('/b');
  put('/c');
  disk.end();
  await turn();
  expect(told).toEqual(['watchers: /a', 'writer: /a']);
  disk.end();
  await turn();
  expect(told.slice(2)).toEqual(['watchers: /b', 'watchers: /c', 'writer: /b', 'writer: /c']);
  expect(disk.isBusy).toBe(false);
});

test('a disk that fails assures nobody, and the next change is tried again', async () => {
  put('/a');
  disk.end(new Error('no luck'));
  await turn();
  expect(told).toEqual(['watchers: /a', 'refused: /a (writing to the store failed: no luck)']);
  put('/b');
  disk.end();
  await turn();
  expect(told.slice(2)).toEqual(['watchers: /b', 'writer: /b']);
});

test('at the end everybody is answered, and only once', async () => {
  put('/a');
  writer.finish();
  disk.end();
  await turn();
  expect(told).toEqual(['watchers: /a', 'writer: /a']);
});
