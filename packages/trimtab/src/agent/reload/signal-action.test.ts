import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signalAction } from './signal-action.ts';

let configRoot: string;
beforeEach(() => {
  configRoot = mkdtempSync(join(tmpdir(), 'test-signal-'));
});
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(configRoot, { recursive: true, force: true });
});

const attempt = { signal: new AbortController().signal, writtenAtTicks: Number.POSITIVE_INFINITY };
const printSignals = "process.on('SIGUSR2', console.log); console.log('ready'); process.stdin.resume()";

/** Starts Node under another name, because other processes of this machine are called node. */
async function start(name: string, script: string) {
  const child = spawn(process.execPath, ['-e', script], { argv0: name, stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => (await lines.next()).value;
  expect(await nextLine()).toBe('ready');
  return nextLine;
}

const uniqueName = (part: string) => `${part}-${process.pid}-${Date.now()}`;

test('all processes of the name receive the signal', async () => {
  const name = uniqueName('app');
  const linesOf = [await start(name, printSignals), await start(`/usr/bin/${name}`, printSignals)];
  const action = signalAction({ signal: 'SIGUSR2', selector: { process: name }, configRoot });
  expect(action.name).toBe(`SIGUSR2 to process ${name}`);
  expect(await action.run(attempt)).toEqual({ ok: true });
  for (const nextLine of linesOf) expect(await nextLine()).toBe('SIGUSR2 12');
});

test('one that does not handle the signal makes the action fail, and the others receive it', async () => {
  const name = uniqueName('app');
  await start(name, "console.log('ready'); process.stdin.resume()");
  const nextLine = await start(name, printSignals);
  const action = signalAction({ signal: 'SIGUSR2', selector: { process: name }, configRoot });
  expect(await action.run(attempt)).toMatchObject({
    kind: 'unreachable',
    message: expect.stringContaining('has no handler for SIGUSR2'),
  });
  expect(await nextLine()).toBe('SIGUSR2 12');
});

test('without such a process the message says what the pod needs', async () => {
  const byName = signalAction({ signal: 'SIGHUP', selector: { process: 'no-such-app' }, configRoot });
  expect(await byName.run(attempt)).toEqual({
    ok: false,
    kind: 'unreachable',
    message: `there is no process no-such-app that mounts the volume of ${configRoot}. Set shareProcessNamespace: true in the pod.`,
  });
  const byContainer = signalAction({ signal: 'SIGHUP', selector: { container: 'web' }, configRoot });
  expect(byContainer.name).toBe('SIGHUP to the processes of container web');
  expect(await byContainer.run(attempt)).toMatchObject({
    kind: 'unreachable',
    message: expect.stringContaining('there is no process of container web that mounts the volume'),
  });
});
