import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { describe, expect, test } from 'vitest';
import { errors, OperationalError } from './errors.ts';
import { createLogger } from './log/log.ts';
import { installShutdown } from './shutdown.ts';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

function start() {
  const clock = new ManualClock();
  const host = new FakeProcess();
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger({ program: 'test', level: 'info', destination });
  const shutdown = installShutdown({ log, deadlineMs: 10_000, clock, process: host });
  const failures = () => lines.filter(({ level }) => level === 'error' || level === 'fatal');
  return { clock, host, shutdown, failures };
}

describe('a program is told to end', () => {
  test('the signal aborts first, then what was opened last is closed first', async () => {
    const { clock, host, shutdown } = start();
    const order: string[] = [];
    shutdown.signal.addEventListener('abort', () => order.push('signal'));
    shutdown.onClose('server', () => void order.push('server'));
    shutdown.onClose('lease', async () => {
      await Promise.resolve();
      order.push('lease');
    });
    host.emit('SIGTERM');
    await clock.advance(0);
    expect(order).toEqual(['signal', 'lease', 'server']);
    expect(host.exits).toEqual([0]);
    expect(clock.pending).toBe(0);
  });

  test('a second signal ends it at once', async () => {
    const { clock, host, shutdown } = start();
    shutdown.onClose('stuck', () => new Promise(() => {}));
    host.emit('SIGTERM');
    await clock.advance(1);
    expect(host.exits).toEqual([]);
    host.emit('SIGINT');
    expect(host.exits).toEqual([130]);
  });

  test('a closer that hangs is named when the deadline has passed', async () => {
    const { clock, host, shutdown, failures } = start();
    shutdown.onClose('never reached', () => {});
    shutdown.onClose('stuck', () => new Promise(() => {}));
    host.emit('SIGINT');
    await clock.advance(10_000);
    expect(host.exits).toEqual([1]);
    expect(failures()).toMatchObject([{ waitingFor: 'stuck', msg: 'shutdown deadline exceeded' }]);
  });

  test('a closer that fails does not keep the others from closing', async () => {
    const { clock, host, shutdown, failures } = start();
    let closed = false;
    shutdown.onClose('good', () => {
      closed = true;
    });
    shutdown.onClose('bad', () => Promise.reject(new Error('no')));
    host.emit('SIGTERM');
    await clock.advance(0);
    expect(closed).toBe(true);
    expect(host.exits).toEqual([1]);
    expect(failures()).toMatchObject([{ closer: 'bad', err: { message: 'no' } }]);
  });
});

describe('a program fails', () => {
  test.each(['uncaughtException', 'unhandledRejection'])(
    'by an %s: logged once, closed, code 1',
    async (event) => {
      const { clock, host, shutdown, failures } = start();
      let closed = false;
      shutdown.onClose('server', () => {
        closed = true;
      });
      host.emit(event, new Error('boom'));
      await clock.advance(0);
      expect(closed).toBe(true);
      expect(host.exits).toEqual([1]);
      expect(failures()).toMatchObject([{ err: { message: 'boom' } }]);
    },
  );

  test('with an error that has its own exit code', async () => {
    const { clock, host, shutdown, failures } = start();
    shutdown.end(new OperationalError(errors.ConfigInvalid, 'no such flag'));
    await clock.advance(0);
    expect(host.exits).toEqual([2]);
    expect(failures()).toMatchObject([{ err: { code: 'ConfigInvalid' } }]);
  });

  test('but not because its own signal cancelled something', async () => {
    const { clock, host, shutdown, failures } = start();
    shutdown.onClose('lease', () => {
      host.emit('unhandledRejection', shutdown.signal.reason);
      shutdown.end(shutdown.signal.reason);
    });
    shutdown.end();
    await clock.advance(0);
    expect(host.exits).toEqual([0]);
    expect(failures()).toEqual([]);
  });
});

test('a real process closes on SIGTERM and ends with code 0', async () => {
  const url = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const program = `
    const { installShutdown } = await import(${url('./shutdown.ts')});
    const { createLogger } = await import(${url('./log/log.ts')});
    const log = createLogger({ program: 'test', level: 'info' });
    const shutdown = installShutdown({ log, deadlineMs: 5000 });
    const alive = setInterval(() => {}, 1000);
    shutdown.onClose('timer', () => { clearInterval(alive); console.log('closed'); });
    console.log('ready');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
    if (String(text).includes('ready')) child.kill('SIGTERM');
  });
  const [code] = await once(child, 'close');
  expect(output).toBe('ready\nclosed\n');
  expect(code).toBe(0);
});
