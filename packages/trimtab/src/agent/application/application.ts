import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { type Action, type Outcome, unreachable } from '../reload/outcome.ts';
import { readProcess } from '../reload/process-table.ts';
import { sendSignal } from '../reload/send-signal.ts';
import { trackChild } from './own-children.ts';
import { killGroup } from './process-group.ts';

interface ApplicationOptions {
  command: readonly string[];
  log: Logger;
  clock: Clock;
  /** Kill the application this long after a signal that ends it; 0 waits without a limit. */
  graceMs: number;
}

/** Signals that ask an application to end. */
const endSignals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGQUIT'];

/**
 * The application as the only child of the agent. It runs in its own process group. Signals are forwarded to the
 * application alone, as a container runtime sends them to the first process of a container; when it has ended, the rest
 * of its group is killed.
 */
export class Application {
  readonly #options: ApplicationOptions;
  readonly #ended = Promise.withResolvers<number>();
  #child: ChildProcess | undefined;
  #cancelKill = () => {};

  constructor(options: ApplicationOptions) {
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#child !== undefined;
  }

  /** Resolves with the exit code: 128 plus its number for a signal, 127 for a program that does not exist. */
  get ended(): Promise<number> {
    return this.#ended.promise;
  }

  start(): void {
    const { command, log } = this.#options;
    const [program = '', ...args] = command;
    let child: ChildProcess;
    try {
      child = spawn(program, args, { stdio: 'inherit', detached: true });
    } catch (error) {
      this.#failed(program, error as NodeJS.ErrnoException);
      return;
    }
    this.#child = child;
    trackChild(child);
    child.once('error', (error) => {
      if (child.pid === undefined) this.#failed(program, error);
    });
    if (child.pid !== undefined) log.info({ pid: child.pid, command: program }, 'application started');
    child.once('exit', (code, signal) => {
      this.#cancelKill();
      killGroup(child.pid);
      const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      log.info({ exitCode, ...(signal !== null && { signal }) }, 'application ended');
      this.#ended.resolve(exitCode);
    });
  }

  /** Forwards a signal that the agent received. Before the start, a signal that ends the application ends the agent. */
  forward(signal: NodeJS.Signals): void {
    const { clock, graceMs, log } = this.#options;
    const isEnd = endSignals.includes(signal);
    if (this.#child === undefined) {
      if (isEnd) this.#ended.resolve(128 + constants.signals[signal]);
      return;
    }
    const isSent = this.#child.kill(signal);
    if (!isSent || !isEnd || graceMs === 0) return;
    this.#cancelKill();
    this.#cancelKill = clock.after(graceMs, () => {
      log.warn({ graceMs }, 'application did not end in time; killing it');
      killGroup(this.#child?.pid);
    });
  }

  /** The way to tell the application that its files have changed. */
  signalAction(signal: NodeJS.Signals): Action {
    return {
      name: `${signal} to the application`,
      run: async ({ writtenAtTicks }): Promise<Outcome> => {
        const process = this.#child?.pid === undefined ? undefined : readProcess(this.#child.pid);
        if (process === undefined) return unreachable('the application does not run');
        return sendSignal(process, signal, writtenAtTicks);
      },
    };
  }

  #failed(program: string, { code, message }: NodeJS.ErrnoException): void {
    const reason = `cannot start ${program}: ${code ?? message}`;
    this.#options.log.fatal({ reason }, 'application could not be started');
    this.#ended.resolve(code === 'ENOENT' ? 127 : 126);
  }
}
