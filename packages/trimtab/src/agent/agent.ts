import { backoffMs } from '@trimtab/kube/backoff.ts';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { linkedAbort } from '@trimtab/kube/watch/linked-abort.ts';
import type { Application } from './application/application.ts';
import type { ConfigRoot } from './files/config-root.ts';
import { describeWriteError } from './files/file-errors.ts';
import { composeFiles, type FileSet, type PathRules, type SourceState } from './files/file-set.ts';
import type { AgentMetrics } from './health/agent-metrics.ts';
import type { AgentState } from './health/agent-state.ts';
import { nextStep } from './next-step.ts';
import type { Outcome } from './reload/outcome.ts';
import type { Reloader } from './reload/reloader.ts';
import { ticksSinceBoot } from './reload/send-signal.ts';
import { includesSecret, missingConfigs, presentConfigs, type Source } from './source/source.ts';

export interface AgentOptions {
  source: Source;
  root: ConfigRoot;
  /** Path of the root, for messages. */
  configRoot: string;
  rules: PathRules;
  reloader: Reloader;
  /** Parent mode: the application that the agent runs as its child. It is started when the first set is written. */
  application?: Application;
  /** Return after the first set (--once). */
  once: boolean;
  /** Use the files on disk when the configs are not known after this time. */
  startTimeoutMs: number;
  log: Logger;
  metrics: AgentMetrics;
  clock: Clock;
  /** Called after each step of a reload; tests end the process there. */
  onStep?: (step: string) => void;
}

const retryBackoff = { initialMs: 1_000, maxMs: 30_000 };

type Failure = Extract<Outcome, { ok: false }>;

/**
 * Keeps the files equal to the configs, and the application up to date with the files. One loop compares the desired set
 * of files with the accepted one and applies it: write, check, tell, check. A change that arrives meanwhile is applied
 * afterwards, so reloads never overlap and the last state always wins.
 */
export class Agent {
  readonly #options: AgentOptions;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #wake = () => {};
  /** Hash of the set that the application runs with. */
  #accepted: string | undefined;
  /** Hash of the set that was rejected last. */
  #rejected: string | undefined;
  #retry: { hash: string; at: number } | undefined;
  #failures = 0;
  /** When the visible set was written, in clock ticks since boot; Infinity when another process wrote it. */
  #writtenAtTicks = Number.POSITIVE_INFINITY;
  /** Whether the application has answered this process. */
  #wasReached = false;
  #isReady = false;
  #failure: string | undefined;
  #isRestored = true;
  readonly #reported = new Map<string, string>();

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#log = options.log;
    this.#clock = options.clock;
    this.#startedAt = options.clock.monotonic();
  }

  state(): AgentState {
    return {
      notReady: this.#isReady ? undefined : (this.#failure ?? this.#waitsFor()) || 'starting',
      failure: this.#failure,
      isRestored: this.#isRestored,
      interruption: this.#options.source.interruption(),
    };
  }

  /** Runs until the signal aborts, or with --once until the first set is written. */
  async run(signal: AbortSignal): Promise<void> {
    const { source, root, once } = this.#options;
    this.#recover();
    // A set that was accepted before needs no reload. An application that is still to be started has not read it.
    if (root.current?.hash === root.good?.hash && !root.isUntold && !this.#mustStart())
      this.#accepted = root.good?.hash;
    const { controller, unlink } = linkedAbort(signal);
    const sourceEnded = source.run(() => this.#wake(), controller.signal);
    try {
      while (!signal.aborted) {
        const changed = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        const waitMs = await this.#reconcile(signal);
        if (once && this.#isReady) break;
        await this.#pause(changed, waitMs, signal);
      }
    } catch (error) {
      // A reload that the signal interrupts throws.
      if (!signal.aborted) throw error;
    } finally {
      controller.abort(signal.reason);
      unlink();
      await sourceEnded.catch(() => {});
    }
  }

  #recover(): void {
    try {
      this.#options.root.recover();
    } catch (cause) {
      if (cause instanceof OperationalError) throw cause;
      const problem = describeWriteError(cause, this.#options.configRoot);
      throw new OperationalError(errors.ConfigInvalid, `--configroot: ${problem}`, { cause });
    }
  }

  /** Compares and applies once. Returns when to compare again without a change, in milliseconds. */
  async #reconcile(signal: AbortSignal): Promise<number | undefined> {
    const configs = presentConfigs(this.#options.source.observe());
    if (configs === undefined) return this.#useStoredSet(signal);
    const { set, warnings, problems } = composeFiles(configs, this.#options.rules);
    this.#reportOnce('warnings', warnings.join('; '), 'keys of configs collide or are missing');
    if (problems.length > 0) {
      this.#failure = `the configs cannot be written: ${problems.join('; ')}`;
      this.#reportOnce('failure', this.#failure, 'config could not be applied');
      return undefined;
    }
    const situation = { accepted: this.#accepted, rejected: this.#rejected, retry: this.#retry };
    const step = nextStep({ desired: set.hash, ...situation }, this.#clock.monotonic());
    if (step.do === 'wait') return step.ms;
    if (step.do === 'apply') await this.#apply(set, signal);
    else if (this.#accepted === set.hash) this.#succeeded(set.sources);
    return this.#retry && Math.max(0, this.#retry.at - this.#clock.monotonic());
  }

  async #apply(set: FileSet, signal: AbortSignal): Promise<void> {
    const { root, application, metrics, onStep } = this.#options;
    const startedAt = this.#clock.monotonic();
    this.#retry = undefined;
    try {
      if (root.current?.hash !== set.hash) {
        root.write(set);
        this.#writtenAtTicks = ticksSinceBoot();
      }
    } catch (error) {
      return this.#writeFailed(set, error);
    }
    onStep?.('written');
    const { outcome, wasTold } = this.#mustStart() ? await this.#start(signal) : await this.#reload(signal);
    onStep?.('told');
    // A check that was ended with the agent says nothing about the set. The next process applies the set again.
    if (signal.aborted && !outcome.ok) return;
    this.#wasReached ||= wasTold && (outcome.ok || outcome.kind === 'refused');
    metrics.reloaded(outcome.ok, (this.#clock.monotonic() - startedAt) / 1000, this.#clock.now());
    if (outcome.ok) {
      if (!this.#accept(set, { isTold: true })) return;
      this.#accepted = set.hash;
      this.#succeeded(set.sources);
      this.#log.info({ sources: set.sources, files: set.files.size }, 'config applied');
    } else if (!this.#wasReached && application === undefined && outcome.kind === 'unreachable') {
      // An application that does not run yet reads the files when it starts. It is told as soon as it answers.
      if (root.good === undefined && !this.#accept(set, { isTold: false })) return;
      this.#isReady = true;
      this.#reportOnce('application', outcome.message, 'application does not answer yet; retrying');
      this.#retryLater(set);
    } else await this.#restore(set, outcome, wasTold, signal);
  }

  /** Records the visible set as the last good one. Returns false when that could not be written. */
  #accept(set: FileSet, by: { isTold: boolean }): boolean {
    try {
      this.#options.root.accept(by);
      return true;
    } catch (error) {
      this.#writeFailed(set, error);
      return false;
    }
  }

  #writeFailed(set: FileSet, error: unknown): void {
    this.#failure = describeWriteError(error, this.#options.configRoot);
    this.#reportOnce('failure', this.#failure, 'config could not be written; retrying');
    this.#retryLater(set);
  }

  #reload(signal: AbortSignal): Promise<{ outcome: Outcome; wasTold: boolean }> {
    return this.#options.reloader.reload({
      writtenAtTicks: this.#writtenAtTicks,
      isApplicationHealthy: this.#accepted !== undefined && this.#failure === undefined,
      signal,
    });
  }

  /** Starts the application instead of a reload: it reads the files at its start. */
  async #start(signal: AbortSignal): Promise<{ outcome: Outcome; wasTold: boolean }> {
    const { application, reloader } = this.#options;
    const outcome = await reloader.verifyFiles(signal);
    if (outcome.ok) application?.start();
    return { outcome, wasTold: false };
  }

  /** Puts the last good set back, and tells the application about it if it may have read the rejected one. */
  async #restore(set: FileSet, failure: Failure, wasTold: boolean, signal: AbortSignal): Promise<void> {
    const { root, onStep } = this.#options;
    this.#failure = failure.message;
    const problem = await this.#putBack(wasTold, signal);
    onStep?.('restored');
    this.#isRestored = problem === undefined;
    this.#accepted = this.#isRestored ? root.good?.hash : undefined;
    this.#log.error(
      {
        reason: failure.message,
        sources: set.sources,
        ...this.#shownOutput(failure),
        ...(problem !== undefined && { problem }),
      },
      this.#isRestored
        ? 'config rejected; the last good files are in place'
        : 'config rejected; the application could not be returned to the last good files',
    );
    if (failure.kind === 'unreachable') this.#retryLater(set);
    else this.#rejected = set.hash;
  }

  /** Returns why the last good set is not in place; undefined when it is. */
  async #putBack(wasTold: boolean, signal: AbortSignal): Promise<string | undefined> {
    const { root, reloader, configRoot, application } = this.#options;
    try {
      if (!root.restore({ isTold: !wasTold })) return 'there are no earlier files';
    } catch (error) {
      return describeWriteError(error, configRoot);
    }
    this.#writtenAtTicks = Number.POSITIVE_INFINITY;
    if (this.#mustStart()) application?.start();
    else if (wasTold) {
      const outcome = await reloader.tell(this.#writtenAtTicks, signal);
      if (!outcome.ok) return outcome.message;
      try {
        root.accept({ isTold: true });
      } catch (error) {
        return describeWriteError(error, configRoot);
      }
    }
    this.#isReady = true;
    return undefined;
  }

  /** While a config is missing or unknown, the files stay as they are, and an application starts with them. */
  async #useStoredSet(signal: AbortSignal): Promise<number | undefined> {
    const { source, root, startTimeoutMs, metrics } = this.#options;
    const reason = this.#waitsFor();
    // Nothing is wrong while the first responses are on their way.
    const isWrong =
      source.interruption() !== undefined || source.observe().some(({ state }) => state === 'missing');
    if (isWrong) this.#reportOnce('waiting', reason, 'waiting for configs');
    const stored = root.good ?? root.current;
    if (this.#isReady || stored === undefined) return undefined;
    const leftMs = this.#startedAt + startTimeoutMs - this.#clock.monotonic();
    if (leftMs > 0) return leftMs;
    this.#log.warn({ reason, sources: stored.sources }, 'configs are not available; using the files on disk');
    const wasInterrupted = root.isUntold || root.current?.hash !== stored.hash;
    let problem: string | undefined;
    if (root.good !== undefined) problem = await this.#putBack(wasInterrupted, signal);
    else if (this.#mustStart()) this.#options.application?.start();
    // An application that could not be told is told when the configs are known.
    this.#accepted = problem === undefined ? root.good?.hash : undefined;
    if (problem !== undefined) this.#reportOnce('application', problem, 'application does not answer yet');
    this.#isReady = true;
    metrics.holds(stored.sources);
    return undefined;
  }

  #succeeded(sources: readonly SourceState[]): void {
    this.#retry = undefined;
    this.#rejected = undefined;
    this.#failures = 0;
    this.#failure = undefined;
    this.#isRestored = true;
    this.#isReady = true;
    // Warnings last as long as the configs that cause them.
    for (const about of this.#reported.keys()) if (about !== 'warnings') this.#reported.delete(about);
    this.#options.metrics.holds(sources);
  }

  #retryLater(set: FileSet): void {
    this.#failures += 1;
    const ms = backoffMs(this.#failures, retryBackoff, Math.random);
    this.#retry = { hash: set.hash, at: this.#clock.monotonic() + ms };
  }

  #mustStart(): boolean {
    return this.#options.application?.isStarted === false;
  }

  #waitsFor(): string {
    const { source } = this.#options;
    const parts = [missingConfigs(source.observe()), source.interruption()?.problem ?? ''];
    return parts.filter((part) => part !== '').join('; ');
  }

  /** Logs a lasting condition when it begins and when it changes. */
  #reportOnce(about: string, reason: string, message: string): void {
    if (this.#reported.get(about) === reason) return;
    this.#reported.set(about, reason);
    if (reason !== '') this.#log.warn({ reason }, message);
  }

  /** A command or a response may quote the configs. */
  #shownOutput({ output }: Failure): { output?: string } {
    if (output === undefined) return {};
    const isSecret = includesSecret(this.#options.source.observe());
    return { output: isSecret ? '[not shown: one of the configs is a Secret]' : output };
  }

  /** Waits for a change, or until the time is over. */
  async #pause(changed: Promise<void>, ms: number | undefined, signal: AbortSignal): Promise<void> {
    const { controller, unlink } = linkedAbort(signal);
    // Without a time, the longest time that a clock accepts: the wait still ends with the signal.
    const timer = sleep(this.#clock, ms ?? Number.MAX_SAFE_INTEGER, controller.signal).catch(() => {});
    await Promise.race([changed, timer]);
    controller.abort();
    unlink();
  }
}
