import { type Clock, systemClock } from './clock.ts';
import { OperationalError } from './errors.ts';
import type { Logger } from './log/log.ts';

/** The part of `process` that is used, so that a test can be one. */
interface ProcessHost {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  exit(code: number): void;
}

export interface ShutdownOptions {
  log: Logger;
  /** For all closers together; shorter than the pod's terminationGracePeriodSeconds. */
  deadlineMs: number;
  clock?: Clock;
  process?: ProcessHost;
}

export interface Shutdown {
  /** Aborts as soon as the program is to end, before any closer runs. */
  readonly signal: AbortSignal;
  /** Runs when the program ends, after everything that was registered later has closed. */
  onClose(name: string, closer: () => void | Promise<void>): void;
  /** Ends the program because of an error, which is logged here and nowhere else; without one, because it is done. */
  end(error?: unknown): void;
}

const signals = { SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Takes over how the process ends. The first SIGTERM or SIGINT ends it gracefully with code 0, a second one at once
 * with 128 + its number. An error that nobody handled, a closer that fails or the deadline make it code 1 (a
 * OperationalError has its own).
 */
export function installShutdown(options: ShutdownOptions): Shutdown {
  const { log, deadlineMs, clock = systemClock, process: host = process } = options;
  const controller = new AbortController();
  const closers: { name: string; close: () => void | Promise<void> }[] = [];
  let exitCode = 0;
  let exited = false;

  function exit(code: number): void {
    if (exited) return;
    exited = true;
    host.exit(code);
  }

  function begin(reason: string): void {
    if (controller.signal.aborted) return;
    controller.abort(new DOMException(`the program ends: ${reason}`, 'AbortError'));
    const cancel = clock.after(deadlineMs, () => {
      log.error({ deadlineMs, waitingFor: closers.at(-1)?.name }, 'shutdown took too long');
      exit(1);
    });
    void runClosers().then(() => {
      cancel();
      log.info({ exitCode }, 'program ended');
      exit(exitCode);
    });
  }

  async function runClosers(): Promise<void> {
    for (let closer = closers.at(-1); closer !== undefined; closer = closers.at(-1)) {
      try {
        await closer.close();
      } catch (err) {
        log.error({ err, closer: closer.name }, 'closing failed');
        exitCode ||= 1;
      }
      closers.splice(closers.indexOf(closer), 1);
    }
  }

  function fail(err: unknown, message: string): void {
    // Work that was cancelled by our own signal is no failure.
    if (controller.signal.aborted && err === controller.signal.reason) return;
    log.fatal({ err }, message);
    exitCode ||= err instanceof OperationalError ? err.exitCode : 1;
    begin('it failed');
  }

  for (const [name, number] of Object.entries(signals)) {
    host.on(name, () => {
      if (controller.signal.aborted) {
        log.warn({ signal: name }, 'second signal, ending at once');
        return exit(128 + number);
      }
      log.info({ signal: name }, 'program is told to end');
      begin(name);
    });
  }
  host.on('uncaughtException', (err) => fail(err, 'error that nobody handled'));
  host.on('unhandledRejection', (err) => fail(err, 'rejection that nobody handled'));

  return {
    signal: controller.signal,
    onClose: (name, close) => void closers.push({ name, close }),
    end(error) {
      if (error !== undefined) fail(error, 'program failed');
      else begin('it is done');
    },
  };
}
