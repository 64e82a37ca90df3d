import { type Clock, systemClock } from './clock.ts';
import { OperationalError } from './errors.ts';
import type { Logger } from './log/log.ts';

/** The part of `process` that shutdown uses; tests replace it. */
export interface ProcessHost {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  exit(code: number): void;
}

export interface ShutdownOptions {
  log: Logger;
  /** Time limit for all closers together; must be shorter than the pod's terminationGracePeriodSeconds. */
  deadlineMs: number;
  clock?: Clock;
  process?: ProcessHost;
}

export interface Shutdown {
  /** Aborts when the shutdown begins, before any closer runs. */
  readonly signal: AbortSignal;
  /** Registers a closer. Closers run in reverse order of registration. */
  onClose(name: string, closer: () => void | Promise<void>): void;
  /** Ends the program. An `error` is logged here, so callers must not log it; without one, the exit code is 0. */
  end(error?: unknown): void;
}

const signals = { SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Handles the end of the process. The first SIGTERM or SIGINT shuts down gracefully with exit code 0; a second signal
 * exits immediately with 128 + its number. An unhandled error, a failed closer or an exceeded deadline results in
 * exit code 1 (an OperationalError has its own exit code).
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
    controller.abort(new DOMException(`the program is shutting down: ${reason}`, 'AbortError'));
    const cancel = clock.after(deadlineMs, () => {
      log.error({ deadlineMs, waitingFor: closers.at(-1)?.name }, 'shutdown deadline exceeded');
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
        log.error({ err, closer: closer.name }, 'closer failed during shutdown');
        exitCode ||= 1;
      }
      closers.splice(closers.indexOf(closer), 1);
    }
  }

  function fail(err: unknown, message: string): void {
    // Work that the shutdown signal cancelled is not a failure.
    if (controller.signal.aborted && err === controller.signal.reason) return;
    log.fatal({ err }, message);
    exitCode ||= err instanceof OperationalError ? err.exitCode : 1;
    begin('the program failed');
  }

  for (const [name, number] of Object.entries(signals)) {
    host.on(name, () => {
      if (controller.signal.aborted) {
        log.warn({ signal: name }, 'second signal received; exiting immediately');
        return exit(128 + number);
      }
      log.info({ signal: name }, 'signal received; shutting down');
      begin(name);
    });
  }
  host.on('uncaughtException', (err) => fail(err, 'uncaught exception'));
  host.on('unhandledRejection', (err) => fail(err, 'unhandled promise rejection'));

  return {
    signal: controller.signal,
    onClose: (name, close) => void closers.push({ name, close }),
    end(error) {
      if (error !== undefined) fail(error, 'program failed');
      else begin('the program has finished');
    },
  };
}
