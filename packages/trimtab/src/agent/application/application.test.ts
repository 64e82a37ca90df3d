import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readProcess } from '../reload/process-table.ts';
import { Application } from './application.ts';
import { forwardedSignals } from './forwarded-signals.ts';
import { isOwnChild } from './own-children.ts';

let folder: string;
let clock: ManualClock;
const started: Application[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-application-'));
  clock = new ManualClock();
});
afterEach(async () => {
  for (const application of started.splice(0)) {
    application.forward('SIGKILL');
    await application.ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

function create(command: string[], graceMs = 0): Application {
  return new Application({ command, log: silentLogger, clock, graceMs });
}

function start(command: string[], graceMs = 0): Application {
  const application = create(command, graceMs);
  application.start();
  started.push(application);
  return application;
}

const shell = (script: string, graceMs?: number) => start(['sh', '-c', script, 'sh', folder], graceMs);

/** Waits for a file that the application writes with its last word at once. */
const written = (name: string) =>
  waitFor(
    `the file ${name}`,
    async () => {
      const path = join(folder, name);
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      return text.endsWith('\n') ? { met: text.trim() } : { seen: text };
    },
    { everyMs: 5 },
  );

const attempt = { signal: new AbortController().signal, writtenAtTicks: Number.POSITIVE_INFINITY };

describe('the agent ends with the exit code of the application', () => {
  test.each([0, 1, 42, 255])('%i', async (code) => {
    expect(await shell(`exit ${code}`).ended).toBe(code);
  });

  test.each(['SIGTERM', 'SIGKILL', 'SIGSEGV'] as const)('128 plus the number of %s', async (signal) => {
    expect(await shell(`kill -${signal.slice(3)} $$`).ended).toBe(128 + constants.signals[signal]);
  });

  test('127 for a program that does not exist, as a shell has it', async () => {
    expect(await start(['no-such-program']).ended).toBe(127);
  });

  test('126 for a program that may not be executed', async () => {
    const program = join(folder, 'program');
    writeFileSync(program, '');
    chmodSync(program, 0o644);
    expect(await start([program]).ended).toBe(126);
  });

  test('126 for a path below a file', async () => {
    writeFileSync(join(folder, 'file'), '');
    expect(await start([join(folder, 'file', 'program')]).ended).toBe(126);
  });
});

describe('an application', () => {
  test('is started once it is told to', async () => {
    const application = create(['true']);
    expect(application.isStarted).toBe(false);
    application.start();
    expect(application.isStarted).toBe(true);
    expect(await application.ended).toBe(0);
  });

  test('gets its words as they are', async () => {
    const script = 'require("fs").writeFileSync(process.argv[1], JSON.stringify(process.argv.slice(2)))';
    const words = ['$HOME', '*', 'a b', '', '--', '-c'];
    expect(await start([process.execPath, '-e', script, '--', join(folder, 'words'), ...words]).ended).toBe(
      0,
    );
    expect(JSON.parse(readFileSync(join(folder, 'words'), 'utf8'))).toEqual(words);
  });

  test('leads a process group of its own, and is known as a child', async () => {
    const application = shell('echo $$ $(cut -d" " -f5 /proc/$$/stat) > $1/ids; read line; sleep 1000');
    const [pid, group] = (await written('ids')).split(' ').map(Number);
    expect(group).toBe(pid);
    expect(isOwnChild(pid ?? 0)).toBe(true);
    application.forward('SIGTERM');
    expect(await application.ended).toBe(143);
    expect(isOwnChild(pid ?? 0)).toBe(false);
  });

  test('that ends takes the rest of its group with it', async () => {
    const application = shell(
      "(trap '' TERM HUP; echo $(exec sh -c 'echo $PPID') > $1/pid; sleep 1000) & wait",
    );
    const pid = Number(await written('pid'));
    application.forward('SIGTERM');
    expect(await application.ended).toBe(143);
    await waitFor('the end of the grandchild', async () =>
      readProcess(pid)?.isZombie === false ? { seen: 'it runs' } : { met: undefined },
    );
  });
});

describe('signals of the agent', () => {
  test('are forwarded to the application', async () => {
    const names = forwardedSignals.map((name) => name.slice(3));
    const application = shell(
      [
        ...names.map((name) => `trap 'echo ${name} >> $1/signals' ${name}`),
        'echo ready > $1/ready',
        'while :; do sleep 0.01; done',
      ].join('\n'),
    );
    await written('ready');
    for (const signal of forwardedSignals) {
      application.forward(signal);
      await waitFor(`${signal} to arrive`, async () => {
        const text = existsSync(join(folder, 'signals')) ? readFileSync(join(folder, 'signals'), 'utf8') : '';
        return text.includes(`${signal.slice(3)}\n`) ? { met: undefined } : { seen: text };
      });
    }
  });

  test('go to the application alone, which decides what its children do', async () => {
    const application = shell(
      `sh -c "trap 'echo child > $1/child' TERM; echo ready > $1/ready; while :; do sleep 0.01; done" sh $1 &
       trap 'echo parent > $1/parent; exit 0' TERM; wait`,
    );
    await written('ready');
    application.forward('SIGTERM');
    expect(await application.ended).toBe(0);
    expect(await written('parent')).toBe('parent');
    expect(existsSync(join(folder, 'child'))).toBe(false);
  });

  test('that end it, before it was started, end the agent', async () => {
    const application = create(['true']);
    application.forward('SIGHUP');
    application.forward('SIGTERM');
    expect(await application.ended).toBe(143);
    expect(application.isStarted).toBe(false);
  });

  test('kill it when its grace is over', async () => {
    const application = shell("trap '' TERM HUP; echo ready > $1/ready; while :; do sleep 0.01; done", 5_000);
    await written('ready');
    application.forward('SIGTERM');
    expect(clock.pending).toBe(1);
    await clock.advance(4_999);
    application.forward('SIGHUP');
    await clock.advance(1);
    expect(await application.ended).toBe(137);
  });

  test('do not kill it when it has ended in time', async () => {
    const application = shell(
      "trap 'exit 3' TERM; echo ready > $1/ready; while :; do sleep 0.01; done",
      5_000,
    );
    await written('ready');
    application.forward('SIGTERM');
    expect(await application.ended).toBe(3);
    expect(clock.pending).toBe(0);
  });

  test('without a grace never kill it', async () => {
    const application = shell("trap ': > $1/term' TERM; echo ready > $1/ready; while :; do sleep 0.01; done");
    await written('ready');
    application.forward('SIGTERM');
    expect(clock.pending).toBe(0);
  });

  test('after its end set no timer', async () => {
    const application = shell('exit 0', 5_000);
    await application.ended;
    application.forward('SIGTERM');
    expect(clock.pending).toBe(0);
  });
});

describe('a signal tells the application about its files', () => {
  test('when it handles the signal', async () => {
    const application = shell(
      "trap 'echo reloaded > $1/reloaded' HUP; echo ready > $1/ready; while :; do sleep 0.01; done",
    );
    await written('ready');
    const action = application.signalAction('SIGHUP');
    expect(action.name).toBe('SIGHUP to the application');
    expect(await action.run(attempt)).toEqual({ ok: true });
    expect(await written('reloaded')).toBe('reloaded');
  });

  test('and does not end one that does not handle it yet', async () => {
    // A shell blocks signals while it starts another program, so it becomes that program.
    const application = shell('echo ready > $1/ready; exec sleep 60');
    await written('ready');
    expect(await application.signalAction('SIGHUP').run(attempt)).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('has no handler for SIGHUP'),
    });
  });

  test('and not one that does not run', async () => {
    const unreachable = { ok: false, kind: 'unreachable', message: 'the application does not run' };
    expect(await create(['true']).signalAction('SIGHUP').run(attempt)).toEqual(unreachable);
    const application = shell('exit 0');
    await application.ended;
    expect(await application.signalAction('SIGHUP').run(attempt)).toEqual(unreachable);
  });
});
