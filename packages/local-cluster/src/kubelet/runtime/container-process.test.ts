import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { processesWith } from '../../../test/support/kubelet-stage.ts';
import { type ContainerProcess, startProcess } from './container-process.ts';
import { programProblem } from './find-program.ts';
import { killMarked } from './marked-processes.ts';
import { OutputPipes } from './output-pipes.ts';
import { identityOf, isThere } from './process-identity.ts';
import { killRemembered, stopSignalOf } from './signals.ts';
import { Sweeper } from './sweeper.ts';

const started: ContainerProcess[] = [];
const pipesFolder = mkdtempSync(join(tmpdir(), 'test-pipes-'));
const pipes = new OutputPipes(pipesFolder);

afterAll(() => pipes.close());

const path = process.env['PATH'] ?? '/usr/bin:/bin';

async function run(command: string | string[], output: (text: string) => void = () => {}) {
  const id = randomUUID();
  const running = await startProcess({
    id,
    command: typeof command === 'string' ? ['sh', '-c', command] : command,
    env: { PATH: path, 'a.name-with': 'dots' },
    cwd: '/',
    output: async (_, chunk) => output(chunk.toString()),
    sweeper: new Sweeper(),
    pipes,
  });
  started.push(running);
  return { ...running, id };
}

afterEach(async () => {
  for (const each of started.splice(0)) {
    each.signal('SIGKILL');
    await each.ended;
  }
});

const gone = (text: string) =>
  waitFor(`no process has ${text}`, async () => {
    const left = await processesWith(text);
    return left.length === 0 ? { met: true } : { seen: left.join() };
  });

describe('the end of a container', () => {
  it.each([
    ['exit 0', 0],
    ['exit 42', 42],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ])('after %s tells %d', async (text, code) => {
    expect(await (await run(text)).ended).toBe(code);
  });

  it('comes after the last of its output', async () => {
    let all = '';
    const { ended } = await run('for n in 1 2 3; do echo $n; echo e$n >&2; done', (text) => {
      all += text;
    });
    await ended;
    expect(all.split('\n').sort().join(' ').trim()).toBe('1 2 3 e1 e2 e3');
  });

  it('is the end of the children that it has left behind, too', async () => {
    const { ended, id } = await run('sleep 600 & sleep 600 & exit 5');
    expect(await ended).toBe(5);
    await gone(id);
  });

  it.runIf(process.platform === 'linux')('is the end of daemons that have left its session', async () => {
    const { ended, id } = await run('setsid sleep 600 & sleep 0.2; exit 0');
    expect(await ended).toBe(0);
    await gone(id);
  });

  it('comes though somebody else holds its output open', async () => {
    // The daemon clears its environment, so it cannot be traced to its container.
    const { ended } = await run('env -i setsid sleep 3.3 & sleep 0.2; exit 4');
    expect(await ended).toBe(4);
  });
});

describe('output', () => {
  it('may be opened again by its name, as programs for containers do', async () => {
    let all = '';
    const { ended } = await run('echo one > /dev/stdout; echo two > /dev/stderr; echo three', (text) => {
      all += text;
    });
    expect(await ended).toBe(0);
    expect(all.split('\n').sort().join(' ').trim()).toBe('one three two');
  });

  it('of one container never reaches the next that uses the same pipe', async () => {
    for (let n = 0; n < 100; n++) {
      let all = '';
      const { ended } = await run(`echo ${n}`, (text) => {
        all += text;
      });
      await ended;
      expect(all).toBe(`${n}\n`);
    }
    expect(readdirSync(pipesFolder).length).toBeLessThanOrEqual(128);
  });

  it('comes by sockets where no pipes can be made', async () => {
    const none = new OutputPipes('/dev/null/nowhere');
    let all = '';
    const { ended } = await startProcess({
      id: randomUUID(),
      command: ['echo', 'hello'],
      env: { PATH: path },
      cwd: '/',
      output: async (_, chunk) => {
        all += chunk;
      },
      sweeper: new Sweeper(),
      pipes: none,
    });
    await ended;
    expect(all).toBe('hello\n');
  });

  it('leaves no pipe behind when the kubelet ends', async () => {
    const folder = join(pipesFolder, 'own');
    const own = new OutputPipes(folder);
    const pipe = await own.take();
    pipe?.reader.destroy();
    own.close();
    expect(existsSync(folder)).toBe(false);
  });
});

it('a kill reaches every process of a container that forks wildly', async () => {
  const { ended, signal, id } = await run('while :; do (sleep 600 & sleep 600) & sleep 0.01; done');
  await waitFor('more than 20 processes', async () => {
    const all = await processesWith(id);
    return all.length > 20 ? { met: true } : { seen: `${all.length}` };
  });
  signal('SIGKILL');
  expect(await ended).toBe(137);
  await gone(id);
});

it('variables keep their names, whatever is in them', async () => {
  let all = '';
  const { ended } = await run(['env'], (text) => {
    all += text;
  });
  await ended;
  expect(all).toContain('\na.name-with=dots\n');
});

it('a program that is not there is a failure with the code of the system', async () => {
  const failed = startProcess({
    id: 'x',
    command: ['/no/such'],
    env: {},
    cwd: '/',
    output: async () => {},
    sweeper: new Sweeper(),
    pipes,
  });
  await expect(failed).rejects.toMatchObject({ name: 'StartFailure', code: 'ENOENT' });
});

it.each([
  ['sh', undefined],
  ['/bin/sh', undefined],
  ['nope', 'exec: "nope": executable file not found in $PATH'],
  ['/no/such', 'exec: "/no/such": stat /no/such: no such file or directory'],
  ['/etc/passwd', 'exec: "/etc/passwd": permission denied'],
  ['/etc', 'exec: "/etc": is a directory'],
  ['', 'exec: "": executable file not found in $PATH'],
])('the program %j is checked before its start: %s', async (program, expected) => {
  const place = { env: { PATH: path }, cwd: '/', hostPath: (file: string) => file };
  expect(await programProblem(program, place)).toBe(expected);
});

describe('a recorded process', () => {
  it('is identified by PID and start time', async () => {
    const { identity, ended, signal } = await run('exec sleep 600');
    expect(identityOf(identity.pid)).toEqual(identity);
    expect(isThere(identity)).toBe(true);
    const other = { ...identity, began: `${identity.began}1` };
    expect(isThere(other)).toBe(false);
    expect(killRemembered(other)).toBe(false);
    expect(isThere(identity)).toBe(true);
    signal('SIGKILL');
    await ended;
    expect(isThere(identity)).toBe(false);
  });

  it('is killed with its group', async () => {
    const { identity, ended, id } = await run('sleep 600 & sleep 600 & wait');
    await waitFor('the children of the container', async () => {
      const all = await processesWith(id);
      return all.length >= 3 ? { met: true } : { seen: all.join() };
    });
    expect(killRemembered(identity)).toBe(true);
    expect(await ended).toBe(137);
    await gone(id);
  });

  it.each([0, 1, -1, Number.NaN])('is never killed by the PID %d', (pid) => {
    expect(killRemembered({ pid, began: '' })).toBe(false);
  });
});

it.runIf(process.platform === 'linux')('a mark finds its own processes and no others', async () => {
  const stranger = spawn('sleep', ['600'], {
    env: { PATH: path, LOCAL_CLUSTER_CONTAINER_ID: 'somebody-else' },
  });
  await once(stranger, 'spawn');
  const mine = await run('exec sleep 600');
  expect(killMarked(new Set([mine.id]))).toBeGreaterThan(0);
  expect(await mine.ended).toBe(137);
  expect(stranger.exitCode).toBeNull();
  expect(stranger.signalCode).toBeNull();
  stranger.kill('SIGKILL');
});

it.each([
  [undefined, 'SIGTERM'],
  ['SIGUSR1', 'SIGUSR1'],
  ['SIGRTMIN+3', 'SIGTERM'],
  ['toString', 'SIGTERM'],
])('a container that asks for %s is stopped with %s', (name, signal) => {
  expect(stopSignalOf(name)).toBe(signal);
});
