import type { AgentOptions } from './agent.ts';
import { describeWriteError } from './files/file-errors.ts';
import type { SetIdentity } from './files/file-set.ts';
import type { LastingConditions } from './lasting-conditions.ts';
import type { Progress } from './progress.ts';

/** Until the application is told about the good set again, or files are written again. */
const retryMs = 5_000;

/** Returns to the last good set, and keeps it while another one is rejected. */
export class LastGood<S extends SetIdentity> {
  readonly #options: AgentOptions<S>;
  readonly #progress: Progress;
  readonly #conditions: LastingConditions;

  constructor(options: AgentOptions<S>, progress: Progress, conditions: LastingConditions) {
    this.#options = options;
    this.#progress = progress;
    this.#conditions = conditions;
  }

  /**
   * Makes the last good set visible, and tells the application about it if it may have read another one, whose configs are
   * `previous`. Returns why the last good set is not in place; undefined when it is.
   */
  async putBack(
    wasTold: boolean,
    previous: SetIdentity['sources'],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { root, reloader, configRoot, application } = this.#options;
    const writtenAtTicks = Number.POSITIVE_INFINITY;
    try {
      if (!root.restore({ isTold: !wasTold })) return 'there are no earlier files';
    } catch (error) {
      return describeWriteError(error, configRoot);
    }
    this.#progress.writtenAtTicks = writtenAtTicks;
    if (application?.isStarted === false) application.start();
    else if (wasTold) {
      const sources = root.good?.sources ?? [];
      const outcome = await reloader.tell({ writtenAtTicks, sources, previous, signal });
      if (!outcome.ok) return outcome.message;
      try {
        root.accept({ isTold: true });
      } catch (error) {
        return describeWriteError(error, configRoot);
      }
    }
    this.#progress.isReady = true;
    return undefined;
  }

  /**
   * With the gateway: renews files of other origin beside the configs of the good set, while `rejected` is not applied.
   * Returns when to try again what failed, in milliseconds.
   */
  async keep(rejected: S, signal: AbortSignal): Promise<number | undefined> {
    const { root, observer, goodConfigs, compose, configRoot } = this.#options;
    const progress = this.#progress;
    const configs = goodConfigs?.();
    if (configs === undefined || root.good === undefined) return undefined;
    // The application could not be told, or an earlier process ended before it had told the application.
    if (root.isUntold || root.current?.configHash !== root.good.configHash) {
      const problem = await this.putBack(true, rejected.sources, signal);
      progress.isRestored = problem === undefined;
      if (problem !== undefined) {
        progress.failure ??= problem;
        return retryMs;
      }
    }
    const { set, problems } = compose(configs);
    if (problems.length === 0 && root.current?.hash !== set.hash) {
      try {
        root.write(set);
        root.accept({ isTold: true });
      } catch (error) {
        const problem = describeWriteError(error, configRoot);
        this.#conditions.report('kept files', problem, 'files could not be updated; retrying');
        return retryMs;
      }
    }
    progress.accepted = root.good?.hash;
    progress.isReady = true;
    observer?.inUse(configs);
    return undefined;
  }
}
