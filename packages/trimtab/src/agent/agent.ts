import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { linkedAbort } from '@trimtab/kube/watch/linked-abort.ts';
import type { AgentObserver } from './agent-observer.ts';
import type { Application } from './application/application.ts';
import { describeWriteError } from './files/file-errors.ts';
import {
  type Composition,
  configHashOf,
  type FileSet,
  loggedSources,
  type SetIdentity,
} from './files/file-set.ts';
import type { FileStore } from './files/file-store.ts';
import type { RejectionRecord } from './files/rejection-file.ts';
import type { AgentMetrics } from './health/agent-metrics.ts';
import type { AgentState } from './health/agent-state.ts';
import { LastGood } from './last-good.ts';
import { LastingConditions } from './lasting-conditions.ts';
import { nextStep } from './next-step.ts';
import { Progress } from './progress.ts';
import type { Outcome } from './reload/outcome.ts';
import type { ApplicationReloader, ReloadResult } from './reload/reloader.ts';
import { ticksSinceBoot } from './reload/send-signal.ts';
import type { Config } from './source/config.ts';
import { includesSecret, isAssumed, missingConfigs, presentConfigs, type Source } from './source/source.ts';

export interface AgentOptions<S extends SetIdentity> {
  source: Source;
  root: FileStore<S>;
  /** Path of the root, for messages. */
  configRoot: string;
  /** Maps the configs to files. */
  compose(configs: readonly Config[]): Composition<S>;
  reloader: ApplicationReloader;
  observer?: AgentObserver;
  /**
   * With the gateway: the configs of the last good set. While a set is rejected, files of other origin are renewed beside
   * them.
   */
  goodConfigs?(): readonly Config[] | undefined;
  /** With the gateway: where rejections are kept, because the kubelet may restart the agent. */
  rejections?: RejectionRecord;
  /** With the gateway: a set that cannot be written for this long is refused. */
  refuseUnwrittenMs?: number;
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

/** Until the application is told about the last good set again. */
const restoreRetryMs = 5_000;

type Failure = Extract<Outcome, { ok: false }>;

/** A set, and the configs that it was made from. */
interface Desired<S> {
  set: S;
  configs: readonly Config[];
}

/**
 * Keeps the files equal to the configs, and the application up to date with the files. One loop compares the desired set
 * of files with the accepted one and applies it: write, check, tell, check. A change that arrives meanwhile is applied
 * afterwards, so reloads never overlap and the last state always wins.
 */
export class Agent<S extends SetIdentity = FileSet> {
  readonly #options: AgentOptions<S>;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #conditions: LastingConditions;
  #wake = () => {};
  /** Called when the configs change during a reload. */
  #onChange = () => {};
  readonly #progress: Progress;
  readonly #lastGood: LastGood<S>;

  constructor(options: AgentOptions<S>) {
    this.#options = options;
    this.#log = options.log;
    this.#conditions = new LastingConditions(options.log);
    this.#clock = options.clock;
    this.#startedAt = options.clock.monotonic();
    this.#progress = new Progress(options.clock);
    this.#lastGood = new LastGood(options, this.#progress, this.#conditions);
  }

  state(): AgentState {
    return {
      notReady: this.#progress.isReady
        ? undefined
        : (this.#progress.failure ?? this.#waitsFor()) || 'starting',
      failure: this.#progress.failure,
      isRestored: this.#progress.isRestored,
      interruption: this.#options.source.interruption(),
    };
  }

  /** Runs until the signal aborts, or with --once until the first set is written. */
  async run(signal: AbortSignal): Promise<void> {
    const { source, root, once, rejections } = this.#options;
    this.#recover();
    this.#progress.rejected = rejections?.read();
    // A set that was accepted before needs no reload. An application that is still to be started has not read it.
    if (root.current?.hash === root.good?.hash && !root.isUntold && !this.#mustStart())
      this.#progress.accepted = root.good?.hash;
    const { controller, unlink } = linkedAbort(signal);
    const changed = () => {
      this.#wake();
      this.#onChange();
    };
    const sourceEnded = source.run(changed, controller.signal);
    try {
      while (!signal.aborted) {
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        const waitMs = await this.#reconcile(signal);
        if (once && this.#progress.isReady) break;
        await this.#pause(woken, waitMs, signal);
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
    const progress = this.#progress;
    const configs = presentConfigs(this.#options.source.observe());
    if (configs === undefined) return this.#useStoredSet(signal);
    const { set, warnings, problems } = this.#options.compose(configs);
    this.#conditions.report('warnings', warnings.join('; '), 'keys of configs collide or are missing');
    if (problems.length > 0) {
      progress.failure = `the configs cannot be written: ${problems.join('; ')}`;
      this.#conditions.report('failure', progress.failure, 'config could not be applied');
      this.#refuse(set, progress.failure);
      return this.#lastGood.keep(set, signal);
    }
    const { accepted, rejected, retry } = progress;
    const isRejected = rejected?.hash === configHashOf(set);
    const step = nextStep(
      { desired: set.hash, accepted, rejected: isRejected ? set.hash : undefined, retry },
      this.#clock.monotonic(),
    );
    if (step.do === 'wait') return step.ms;
    if (step.do === 'apply') await this.#apply({ set, configs }, signal);
    else if (accepted === set.hash) this.#succeeded({ set, configs });
    else {
      this.#refuse(set, rejected?.reason ?? '');
      return this.#lastGood.keep(set, signal);
    }
    if (!progress.isRestored && this.#options.goodConfigs !== undefined) return restoreRetryMs;
    return progress.retry && Math.max(0, progress.retry.at - this.#clock.monotonic());
  }

  async #apply(desired: Desired<S>, signal: AbortSignal): Promise<void> {
    const { set } = desired;
    const { root, application, metrics, onStep } = this.#options;
    const startedAt = this.#clock.monotonic();
    const isKnown = this.#progress.accepted !== undefined && root.good?.configHash === configHashOf(set);
    this.#progress.retry = undefined;
    try {
      if (root.current?.hash !== set.hash) {
        root.write(set);
        this.#progress.writtenAtTicks = ticksSinceBoot();
      }
    } catch (error) {
      return this.#writeFailed(set, error);
    }
    onStep?.('written');
    // Only files of other origin have changed.
    if (isKnown) return this.#applied(desired, 'other files of the volumes updated');
    const superseded = new AbortController();
    this.#onChange = () => {
      if (this.#isSuperseded(set)) superseded.abort();
    };
    const { outcome, wasTold } = this.#mustStart()
      ? await this.#start(signal)
      : await this.#reload(set, superseded.signal, signal);
    this.#onChange = () => {};
    onStep?.('told');
    // A check that was ended with the agent says nothing about the set. The next process applies the set again.
    if (signal.aborted && !outcome.ok) return;
    this.#progress.wasReached ||= wasTold && (outcome.ok || outcome.kind === 'refused');
    metrics.reloaded(outcome.ok, (this.#clock.monotonic() - startedAt) / 1000, this.#clock.now());
    if (outcome.ok) this.#applied(desired, 'config applied');
    else if (superseded.signal.aborted && outcome.kind === 'unreachable') {
      // The next set replaces the visible one. The application may have read either.
      this.#progress.accepted = undefined;
    } else if (!this.#progress.wasReached && application === undefined && outcome.kind === 'unreachable') {
      // An application that does not run yet reads the files when it starts. It is told as soon as it answers.
      if (root.good === undefined && !this.#accept(set, { isTold: false })) return;
      this.#progress.isReady = true;
      this.#conditions.report('application', outcome.message, 'application does not answer yet; retrying');
      this.#progress.retryLater(set.hash);
    } else await this.#restore(set, outcome, wasTold, signal);
  }

  #applied(desired: Desired<S>, message: string): void {
    const { set } = desired;
    if (!this.#accept(set, { isTold: true })) return;
    this.#progress.accepted = set.hash;
    this.#succeeded(desired);
    this.#log.info({ sources: loggedSources(set.sources) }, message);
  }

  /** Whether the configs describe another set by now. */
  #isSuperseded(set: S): boolean {
    const configs = presentConfigs(this.#options.source.observe());
    if (configs === undefined) return false;
    return configHashOf(this.#options.compose(configs).set) !== configHashOf(set);
  }

  /** Records the visible set as the last good one. Returns false when that could not be written. */
  #accept(set: S, by: { isTold: boolean }): boolean {
    try {
      this.#options.root.accept(by);
      return true;
    } catch (error) {
      this.#writeFailed(set, error);
      return false;
    }
  }

  #writeFailed(set: S, error: unknown): void {
    const { configRoot, refuseUnwrittenMs = Number.POSITIVE_INFINITY } = this.#options;
    const problem = describeWriteError(error, configRoot);
    this.#conditions.report('failure', problem, 'config could not be written; retrying');
    if (this.#progress.writeFailed(problem) >= refuseUnwrittenMs) this.#refuse(set, problem);
    this.#progress.retryLater(set.hash);
  }

  #reload(set: S, superseded: AbortSignal, signal: AbortSignal): Promise<ReloadResult> {
    return this.#options.reloader.reload({
      writtenAtTicks: this.#progress.writtenAtTicks,
      isApplicationHealthy: this.#progress.accepted !== undefined && this.#progress.failure === undefined,
      isReady: this.#progress.isReady,
      sources: set.sources,
      previous: this.#options.root.good?.sources ?? [],
      superseded,
      signal,
    });
  }

  /** Starts the application instead of a reload: it reads the files at its start. */
  async #start(signal: AbortSignal): Promise<ReloadResult> {
    const { application, reloader } = this.#options;
    const outcome = await reloader.verifyFiles(signal);
    if (outcome.ok) application?.start();
    return { outcome, wasTold: false };
  }

  /** Puts the last good set back, and tells the application about it if it may have read the rejected one. */
  async #restore(set: S, failure: Failure, wasTold: boolean, signal: AbortSignal): Promise<void> {
    const { root, rejections, onStep } = this.#options;
    this.#progress.failure = failure.message;
    const rejection = { hash: configHashOf(set), reason: failure.message };
    if (failure.kind === 'refused') rejections?.write(rejection);
    const problem = await this.#lastGood.putBack(wasTold, set.sources, signal);
    onStep?.('restored');
    this.#progress.isRestored = problem === undefined;
    this.#progress.accepted = this.#progress.isRestored ? root.good?.hash : undefined;
    this.#log.error(
      {
        reason: failure.message,
        sources: loggedSources(set.sources),
        ...this.#shownOutput(failure),
        ...(problem !== undefined && { problem }),
      },
      this.#progress.isRestored
        ? 'config rejected; the last good files are in place'
        : 'config rejected; the application could not be returned to the last good files',
    );
    this.#refuse(set, failure.message);
    if (failure.kind === 'unreachable') this.#progress.retryLater(set.hash);
    else this.#progress.rejected = rejection;
  }

  #refuse(set: S, reason: string): void {
    const { observer, root } = this.#options;
    observer?.refused(set.sources, root.good?.sources ?? [], reason);
  }

  /** While a config is missing or unknown, the files stay as they are, and an application starts with them. */
  async #useStoredSet(signal: AbortSignal): Promise<number | undefined> {
    const { source, root, startTimeoutMs, metrics } = this.#options;
    const reason = this.#waitsFor();
    // Nothing is wrong while the first responses are on their way.
    const isWrong =
      source.interruption() !== undefined || source.observe().some(({ state }) => state === 'missing');
    if (isWrong) this.#conditions.report('waiting', reason, 'waiting for configs');
    const stored = root.good ?? root.current;
    if (this.#progress.isReady || stored === undefined) return undefined;
    const leftMs = this.#startedAt + startTimeoutMs - this.#clock.monotonic();
    if (leftMs > 0) return leftMs;
    const sources = loggedSources(stored.sources);
    this.#log.warn({ reason, sources }, 'configs are not available; using the files on disk');
    const wasInterrupted = root.isUntold || root.current?.hash !== stored.hash;
    let problem: string | undefined;
    if (root.good !== undefined)
      problem = await this.#lastGood.putBack(wasInterrupted, root.current?.sources ?? [], signal);
    else if (this.#mustStart()) this.#options.application?.start();
    // An application that could not be told is told when the configs are known.
    this.#progress.accepted = problem === undefined ? root.good?.hash : undefined;
    if (problem !== undefined)
      this.#conditions.report('application', problem, 'application does not answer yet');
    this.#progress.isReady = true;
    metrics.holds(stored.sources);
    return undefined;
  }

  #succeeded({ set, configs }: Desired<S>): void {
    const { metrics, observer, rejections, source } = this.#options;
    this.#progress.succeeded();
    // Another set was asked for since, unless the configs are only assumed.
    if (this.#progress.rejected !== undefined && !isAssumed(source.observe())) {
      this.#progress.rejected = undefined;
      rejections?.write(undefined);
    }
    // Warnings last as long as the configs that cause them.
    this.#conditions.clearExcept('warnings');
    metrics.holds(set.sources);
    observer?.inUse(configs);
    observer?.accepted(set.sources);
  }

  #mustStart(): boolean {
    return this.#options.application?.isStarted === false;
  }

  #waitsFor(): string {
    const { source } = this.#options;
    const parts = [missingConfigs(source.observe()), source.interruption()?.problem ?? ''];
    return parts.filter((part) => part !== '').join('; ');
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
