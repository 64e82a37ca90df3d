import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { killMarked, markVariable } from './marked-processes.ts';
import { procTable } from './proc-table.ts';
import { identityOf, isThere } from './process-identity.ts';
import type { ProcessTable } from './process-table.ts';
import { psTable } from './ps-table.ts';

const tables: [string, ProcessTable][] = [['ps', psTable]];
if (process.platform === 'linux') tables.push(['the files of Linux', procTable]);

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

const newMark = () => randomBytes(32).toString('hex');

/** Runs Node because macOS hides the environment of system programs. */
async function idle(mark: string, ...args: string[]): Promise<number> {
  const program = 'console.log("up"); setInterval(() => {}, 1000)';
  const child = spawn(process.execPath, ['-e', program, ...args], {
    env: { NOTE: 'a value with spaces', ...(mark !== '' && { [markVariable]: mark }), LAST: 'one' },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  started.push(child);
  await once(child.stdout, 'data');
  return child.pid ?? 0;
}

describe.each(tables)('by %s', (_, table) => {
  test('a process keeps its identity until it ends', async () => {
    const pid = await idle('');
    const identity = identityOf(pid, table);
    expect(identity).toBeDefined();
    expect(identity && isThere(identity, table)).toBe(true);
    expect(isThere({ pid, began: 'another time' }, table)).toBe(false);
    process.kill(pid, 'SIGKILL');
    await waitFor('the process to be gone', async () => {
      const found = identityOf(pid, table);
      return found === undefined ? { met: true } : { seen: found.began };
    });
    expect(identity && isThere(identity, table)).toBe(false);
  });

  test('a process is found by its mark, and not one that only speaks of it', async () => {
    const mark = newMark();
    const pid = await idle(mark);
    await idle('', `${markVariable}=${mark}`, 'and', 'more');
    await idle(newMark());
    expect(table.marked(markVariable, new Set([mark, newMark()]))).toEqual([pid]);
    expect(table.marked(markVariable, new Set([newMark()]))).toEqual([]);
  });

  test('what carries a mark is ended, and nobody else', async () => {
    const mark = newMark();
    await idle(mark);
    const other = await idle('', `${markVariable}=${mark}`);
    expect(killMarked(new Set([mark]), 0, table)).toBeGreaterThan(0);
    await waitFor('the process to be gone', async () => {
      const left = table.marked(markVariable, new Set([mark]));
      return left.length === 0 ? { met: true } : { seen: left.join() };
    });
    expect(identityOf(other, table)).toBeDefined();
  });

  test('without a container nothing is looked for', () => {
    const never = { began: () => undefined, marked: () => expect.fail('asked') };
    expect(killMarked(new Set(), 0, never)).toBe(0);
    expect(identityOf(2 ** 30, table)).toBeUndefined();
  });
});
