import { type Clock, sleep, systemClock } from '@trimtab/kube/clock.ts';
import type { ProgramIo } from '@trimtab/kube/flags/program-io.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import type { Outcome } from '../core/activation/outcome.ts';
import type { WatchTrouble } from './cluster/watched-set.ts';
import type { RolloutFollower } from './follow-rollout.ts';
import { humanDuration } from './output/age.ts';
import { ChangeLines } from './output/change-lines.ts';
import { LiveView } from './output/live-view.ts';
import type { Screen } from './output/screen.ts';

export interface ProgressOptions {
  io: ProgramIo;
  screen: Screen;
  warn(text: string): void;
  follower: RolloutFollower;
  /** Renders the state for a terminal. */
  paint(follower: RolloutFollower, options: { now: number; height: number | undefined }): string[];
  /** Returns how it ended; `in-progress` while it goes on. */
  outcome(rollouts: readonly ConfigRollout[]): Outcome;
  /** 0: no limit. */
  timeoutMs: number;
  /** Lines also on a terminal. */
  linesOnly?: boolean;
  clock?: Clock;
}

export type Ended =
  | { how: 'outcome'; outcome: Exclude<Outcome, { state: 'in-progress' }> }
  /** `waitedFor` says what did not happen. */
  | { how: 'timed out'; waitedFor: string }
  | { how: 'interrupted' };

/** Ages and bake times are shown in seconds. */
const tickMs = 1_000;
/** A rollout of many pods changes many times a second. */
const shortestFrameMs = 100;
/** The last state is read again before it counts. */
const confirmMs = 10_000;

/**
 * Shows the state of rollouts until the outcome is known, the time is over, or the user presses Ctrl-C. On a terminal the
 * state is redrawn in place; elsewhere each change is a line. The last state stays on the screen.
 */
export async function showProgress(options: ProgressOptions): Promise<Ended> {
  const { io, timeoutMs, clock = systemClock } = options;
  const stop = new AbortController();
  const interrupted = Promise.withResolvers<Ended>();
  const removeHandler = io.onInterrupt(() => interrupted.resolve({ how: 'interrupted' }));
  const timedOut = Promise.withResolvers<Ended>();
  const view = new ProgressView(options, clock);
  const waitedFor = () => view.waitsFor;
  const cancel =
    timeoutMs > 0
      ? clock.after(timeoutMs, () => timedOut.resolve({ how: 'timed out', waitedFor: waitedFor() }))
      : () => {};
  const ended = untilOutcome(options, view, clock, stop.signal);
  // After an interruption, what the requests in flight end with does not matter.
  ended.catch(() => {});
  try {
    return await Promise.race([ended, interrupted.promise, timedOut.promise]);
  } finally {
    cancel();
    stop.abort();
    view.end();
    removeHandler();
  }
}

async function untilOutcome(
  { follower, outcome }: ProgressOptions,
  view: ProgressView,
  clock: Clock,
  signal: AbortSignal,
): Promise<Ended> {
  let changed = Promise.withResolvers<void>();
  await follower.start(signal, () => changed.resolve());
  view.warnAboutPods();
  for (;;) {
    signal.throwIfAborted();
    const seen = outcome(follower.rollouts);
    view.show(seen);
    if (seen.state !== 'in-progress' && (await isRefreshed(follower, clock, signal))) {
      // Events are hints: the outcome counts when a new read confirms it.
      const confirmed = outcome(follower.rollouts);
      view.show(confirmed);
      if (confirmed.state !== 'in-progress') return { how: 'outcome', outcome: confirmed };
    }
    await sleep(clock, shortestFrameMs, signal);
    const tick = new AbortController();
    await Promise.race([
      changed.promise,
      sleep(clock, tickMs, AbortSignal.any([signal, tick.signal])),
    ]).finally(() => tick.abort());
    changed = Promise.withResolvers();
  }
}

async function isRefreshed(follower: RolloutFollower, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  const limit = sleep(clock, confirmMs, AbortSignal.any([signal, over.signal])).then(
    () => false,
    () => false,
  );
  const read = follower.refresh().then(
    () => true,
    () => false,
  );
  return Promise.race([read, limit]).finally(() => over.abort());
}

/** Chooses between a state that is redrawn and lines. */
class ProgressView {
  readonly #options: ProgressOptions;
  readonly #clock: Clock;
  readonly #live: LiveView | undefined;
  readonly #lines = new ChangeLines();
  #told = '';
  waitsFor = 'the API server to answer';

  constructor(options: ProgressOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    const { screen, linesOnly, io } = options;
    const canRedraw = screen.isTerminal && io.env['TERM'] !== 'dumb';
    this.#live = canRedraw && !linesOnly ? new LiveView(screen) : undefined;
  }

  warnAboutPods(): void {
    const { follower, warn } = this.#options;
    if (follower.isWithoutPods) warn('pods are not shown: this needs the verb "list" on "pods"');
  }

  show(outcome: Outcome): void {
    const { follower, paint, screen } = this.#options;
    if (outcome.state === 'in-progress') this.waitsFor = outcome.text;
    if (this.#live === undefined) {
      for (const line of this.#lines.next(follower.rollouts)) screen.line(line);
      this.#tellTroubles(follower.troubles);
      return;
    }
    this.#live.show((height) => {
      const notes = follower.troubles.map((trouble) => screen.colour('bad', `! ${troubleText(trouble)}`));
      const room = height === undefined ? undefined : height - notes.length;
      return [...paint(follower, { now: this.#clock.now(), height: room }), ...notes];
    });
  }

  end(): void {
    this.#live?.end();
  }

  /** A trouble is told when it begins, not every second. */
  #tellTroubles(troubles: readonly WatchTrouble[]): void {
    const kinds = troubles.map(({ is }) => is).join();
    if (kinds === this.#told) return;
    if (troubles.length === 0) this.#options.io.stderr.write('The connection to the API server is back\n');
    else for (const trouble of troubles) this.#options.warn(troubleText(trouble));
    this.#told = kinds;
  }
}

function troubleText(trouble: WatchTrouble): string {
  if (trouble.is === 'watch forbidden')
    return `no permission for the verb "watch" on "${trouble.resource}"; reading every ${trouble.everySeconds} s instead`;
  return `no connection to the API server for ${humanDuration(trouble.seconds * 1000)} (${trouble.code}); retrying. The rollout continues in the cluster`;
}
