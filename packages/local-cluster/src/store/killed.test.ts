import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { Store } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'test-killed-'));
const program = join(import.meta.dirname, '../../test/support/store-writer.ts');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([1, 40, 150])('killed after %i acknowledged writes, none of them is lost', async (enough) => {
  const file = join(folder, `${enough}.db`);
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: string[][] = [];
  for await (const line of createInterface(child.stdout)) {
    if (line === 'ready') continue;
    acknowledged.push(line.split(' '));
    // More lines may follow: their writes were acknowledged before the kill, so they count too.
    if (acknowledged.length === enough) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  const store = new Store({ file });
  for (const [key = '', revision] of acknowledged) expect(store.get(key)?.revision).toBe(Number(revision));
  // A batch is stored completely or not at all: the revisions have no gaps.
  const revisions = store.list('/registry/a/').items.map((item) => item.revision);
  expect(new Set(revisions).size).toBe(store.revision);
  store.close();
});
