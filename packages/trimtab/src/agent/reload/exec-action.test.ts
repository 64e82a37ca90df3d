import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isOwnChild } from '../application/own-children.ts';
import { execAction } from './exec-action.ts';
import { readProcess } from './process-table.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-exec-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(words: string[], signal = new AbortController().signal) {
  return execAction({ words, folder }).run({ signal, writtenAtTicks: 0 });
}
const shell = (script: string, signal?: AbortSignal) => run(['sh', '-c', script], signal);

describe('a command', () => {
  test('with exit code 0 is a success, whatever it prints', async () => {
    expect(await shell('echo warning >&2')).toEqual({ ok: true });
  });

  test('with another exit code is refused, with its output', async () => {
    expect(await shell('echo on stdout; echo on stderr >&2; exit 3')).toEqual({
      ok: false,
      kind: 'refused',
      message: 'sh ended with exit code 3',
      output: 'on stdout\non stderr',
    });
  });

  test('that a signal ends is refused', async () => {
    expect(await shell('kill -SEGV $$')).toEqual({
      ok: false,
      kind: 'refused',
      message: 'sh ended with SIGSEGV',
    });
  });

  test('that does not exist is refused', async () => {
    expect(await run(['no-such-program', '-t'])).toEqual({
      ok: false,
      kind: 'refused',
      message: 'cannot run no-such-program: ENOENT',
    });
  });

  test('without the right to execute it is refused', async () => {
    const program = join(folder, 'program');
    writeFileSync(program, '');
    expect(await run([program])).toMatchObject({
      kind: 'refused',
      message: `cannot run ${program}: EACCES`,
    });
  });

  test('below a file is refused', async () => {
    writeFileSync(join(folder, 'file'), '');
    expect(await run([join(folder, 'file', 'program')])).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('ENOTDIR'),
    });
  });

  test('gets its words as they are, without a shell', async () => {
    const script = 'console.log(JSON.stringify(process.argv.slice(1))); process.exit(1)';
    expect(await run([process.execPath, '-e', script, '$HOME', '*', 'a b', ''])).toMatchObject({
      output: '["$HOME","*","a b",""]',
    });
  });

  test('gets the environment of the agent, and no input', async () => {
    expect(await shell('read line; echo "$PATH $line"; exit 1')).toMatchObject({
      output: process.env['PATH'],
    });
  });

  test('may open its output by name', async () => {
    expect(await shell('echo one >> /dev/stderr; echo two >> /dev/stdout; exit 1')).toMatchObject({
      output: 'one\ntwo',
    });
  });

  test('leaves no file behind', async () => {
    await shell('echo failed; exit 1');
    await shell('echo well');
    await run(['no-such-program']);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('runs without its output when the folder cannot be written', async () => {
    const words = ['sh', '-c', 'echo failed; exit 1'];
    const action = execAction({ words, folder: join(folder, 'none') });
    const { signal } = new AbortController();
    expect(await action.run({ signal, writtenAtTicks: 0 })).toEqual({
      ok: false,
      kind: 'refused',
      message: 'sh ended with exit code 1',
    });
  });

  test('with much output ends, and the end of its output is kept', async () => {
    const outcome = await shell('seq 100000; echo the end; exit 1');
    expect(outcome).toMatchObject({ output: expect.stringMatching(/\n99999\n100000\nthe end$/) });
    if (!outcome.ok) expect(outcome.output?.length).toBeLessThanOrEqual(2_048);
  });

  test('that leaves a child behind with its output has ended all the same', async () => {
    const pidFile = join(folder, 'pid');
    expect(await shell(`sleep 1000 & echo $! > ${pidFile}; echo failed; exit 1`)).toMatchObject({
      message: 'sh ended with exit code 1',
      output: 'failed',
    });
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  });

  test('that does not end in time is killed with all its children', async () => {
    const stop = new AbortController();
    const pidFile = join(folder, 'pids');
    const ended = shell(
      `trap '' TERM; (trap '' TERM; sleep 1000) & echo $$ $! > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; echo partly; wait`,
      stop.signal,
    );
    const pids = await waitFor('the command to start', async () =>
      existsSync(pidFile)
        ? { met: readFileSync(pidFile, 'utf8').split(' ').map(Number) }
        : { seen: 'no file' },
    );
    expect(isOwnChild(pids[0] ?? 0)).toBe(true);
    stop.abort();
    expect(await ended).toMatchObject({ kind: 'refused', message: 'sh did not end in time' });
    expect(isOwnChild(pids[0] ?? 0)).toBe(false);
    await waitFor('the end of all processes', async () => {
      const left = pids.filter((pid) => readProcess(pid)?.isZombie === false);
      return left.length === 0 ? { met: undefined } : { seen: `${left}` };
    });
  });
});
