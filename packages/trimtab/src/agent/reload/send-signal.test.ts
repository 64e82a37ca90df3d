import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import type { Process } from './process.ts';
import { readProcess } from './process-table.ts';
import { sendSignal, ticksSinceBoot } from './send-signal.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const now = Number.POSITIVE_INFINITY;

/** A process that prints a line when it is ready, and one for each signal that it handles. */
async function start(script: string, options: { uid?: number } = {}) {
  const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'], ...options });
  children.push(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => (await lines.next()).value;
  expect(await nextLine()).toBe('ready');
  const found = readProcess(child.pid ?? 0);
  if (found === undefined) throw new Error('the process has ended');
  return { child, found, nextLine };
}

const handles = (signals: string) =>
  `exec "${process.execPath}" -e "for (const name of '${signals}'.split(' ')) process.on(name, console.log); console.log('ready'); process.stdin.resume()"`;

describe('a signal to a real process', () => {
  test('with a handler arrives', async () => {
    const { found, nextLine } = await start(handles('SIGHUP'));
    expect(await sendSignal(found, 'SIGHUP', now)).toEqual({ ok: true });
    expect(await nextLine()).toBe('SIGHUP 1');
  });

  test('without a handler is not sent, because it would end the process', async () => {
    const { child, found } = await start(handles('SIGUSR2'));
    expect(await sendSignal(found, 'SIGHUP', now)).toEqual({
      ok: false,
      kind: 'unreachable',
      message: `process ${found.pid} (${found.command}) has no handler for SIGHUP, which would end it`,
      isUntouched: true,
    });
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([null, 'SIGTERM']);
  });

  test('that it ignores is refused', async () => {
    const { found } = await start("trap '' HUP; echo ready; read line");
    expect(await sendSignal(found, 'SIGHUP', now)).toEqual({
      ok: false,
      kind: 'refused',
      message: `process ${found.pid} (sh) ignores SIGHUP. Choose another signal.`,
      isUntouched: true,
    });
  });

  test('that it waits for arrives', async () => {
    const { found } = await start('exec env --block-signal=HUP sh -c "echo ready; read line"');
    expect(await sendSignal(found, 'SIGHUP', now)).toEqual({ ok: true });
    const pending = /^ShdPnd:\s*(\S+)/m.exec(readFileSync(`/proc/${found.pid}/status`, 'utf8'))?.[1];
    expect(pending).toBe('0000000000000001');
  });

  test('is not sent to a process that only blocks it while it starts others', async () => {
    const { child, found } = await start('echo ready; while :; do /bin/true; done');
    for (let i = 0; i < 200; i++)
      expect(await sendSignal(found, 'SIGHUP', now)).toMatchObject({ kind: 'unreachable' });
    expect(child.exitCode ?? child.signalCode).toBeNull();
  });

  test('that started after the files were written is not sent', async () => {
    const { found, nextLine } = await start(handles('SIGHUP SIGUSR2'));
    expect(await sendSignal(found, 'SIGHUP', found.startTicks - 1)).toEqual({ ok: true });
    expect(await sendSignal(found, 'SIGUSR2', found.startTicks)).toEqual({ ok: true });
    expect(await nextLine()).toBe('SIGUSR2 12');
  });

  test('that has ended cannot be sent', async () => {
    const { child, found } = await start(handles('SIGHUP'));
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect(await sendSignal(found, 'SIGHUP', now)).toEqual({
      ok: false,
      kind: 'unreachable',
      message: `process ${found.pid} (${found.command}) has ended`,
    });
  });

  test('whose PID belongs to another process by now is not sent', async () => {
    const { found, nextLine } = await start(handles('SIGHUP SIGUSR2'));
    const earlier: Process = { ...found, startTicks: found.startTicks - 1 };
    expect(await sendSignal(earlier, 'SIGHUP', now)).toMatchObject({ kind: 'unreachable' });
    expect(await sendSignal(found, 'SIGUSR2', now)).toEqual({ ok: true });
    expect(await nextLine()).toBe('SIGUSR2 12');
  });

  test.skipIf(process.getuid?.() !== 0)(
    'of another user is refused without the capability KILL (skipped without root)',
    async () => {
      const { found } = await start('trap : HUP; echo ready; read line', { uid: 65_534 });
      process.seteuid?.(65_533);
      try {
        // The process is read and signalled before the first wait, so other code does not run as this user.
        expect(await sendSignal(found, 'SIGHUP', now)).toMatchObject({
          kind: 'refused',
          isUntouched: true,
          message: expect.stringMatching(
            /may not send SIGHUP to process \d+ \(sh\) of user 65534\. Run the agent with runAsUser: 65534/,
          ),
        });
      } finally {
        process.seteuid?.(0);
      }
      expect(await sendSignal(found, 'SIGHUP', now)).toEqual({ ok: true });
    },
  );
});

test('the time since boot is exact to the tick', () => {
  const read = () => readFileSync('/proc/uptime', 'utf8').split(' ')[0]?.replace('.', '');
  for (let i = 0; i < 200; i++) {
    const before = Number(read());
    const ticks = ticksSinceBoot();
    expect(ticks).toBeGreaterThanOrEqual(before);
    expect(ticks).toBeLessThanOrEqual(Number(read()));
  }
});

test('a process that starts before the files are written has an earlier start time', async () => {
  const { found } = await start('echo ready; read line');
  const written = ticksSinceBoot();
  expect(found.startTicks).toBeLessThanOrEqual(written);
});
