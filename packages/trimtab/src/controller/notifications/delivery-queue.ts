import { backoffMs } from '@trimtab/kube/backoff.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { slackMessage, teamsMessage } from '../../core/notification/chat-message.ts';
import { cloudEvent } from '../../core/notification/cloud-event.ts';
import type { Outcome } from '../../core/notification/outcome.ts';
import { retryAfterMs, verdictOf } from '../../core/notification/retry.ts';
import { signatureHeaders } from '../../core/notification/signature.ts';
import type { AttemptResult, PendingNotifications } from './notification-metrics.ts';
import { type PostResponse, post } from './post.ts';
import type { Target } from './targets.ts';

export interface DeliveryOptions {
  clock: Clock;
  log: Logger;
  count: (target: string, result: AttemptResult, by?: number) => void;
  /** Called when an outcome needs no further attempt, whatever became of it. */
  onSettled: (target: string, outcome: Outcome) => void;
  random?: () => number;
  send?: (request: Parameters<typeof post>[0]) => Promise<PostResponse>;
}

interface Pending {
  outcome: Outcome;
  since: number;
}

const backoff = { initialMs: 1_000, maxMs: 5 * 60_000 };
/** After failures for this long, a notification is out of date. */
const patienceMs = 3_600_000;
const maxPending = 1_000;

/**
 * The notifications for one target, which are sent one at a time and in order. While the target fails, all of them wait:
 * other targets and rollouts do not.
 */
export class DeliveryQueue {
  readonly #options: DeliveryOptions;
  readonly #stop = new AbortController();
  readonly #pending = new Map<string, Pending>();
  #target: Target;
  #cluster: string | undefined;
  #failures = 0;
  #isRunning = false;
  #cancel = () => {};

  constructor(target: Target, cluster: string | undefined, options: DeliveryOptions) {
    this.#target = target;
    this.#cluster = cluster;
    this.#options = options;
  }

  /** The file was read again. A corrected target is tried at once. */
  replace(target: Target, cluster: string | undefined): void {
    this.#target = target;
    this.#cluster = cluster;
    this.#cancel();
    this.#deliver();
  }

  get pending(): PendingNotifications {
    const [first] = this.#pending.values();
    const waitedMs = first === undefined ? 0 : this.#options.clock.monotonic() - first.since;
    return { target: this.#target.name, count: this.#pending.size, oldestSeconds: waitedMs / 1_000 };
  }

  /** The times of the outcomes that wait. */
  get times(): string[] {
    return [...this.#pending.values()].map(({ outcome }) => outcome.time);
  }

  has(id: string): boolean {
    return this.#pending.has(id);
  }

  add(outcome: Outcome): void {
    this.#pending.set(outcome.id, { outcome, since: this.#options.clock.monotonic() });
    if (this.#pending.size > maxPending) {
      const [oldest] = this.#pending.values();
      if (oldest !== undefined) this.#settle(oldest.outcome, 'dropped');
    }
    this.#deliver();
  }

  /** Ends the attempt in progress. What is not delivered is sent by the next leader. */
  close(): void {
    this.#stop.abort(new Error('notifications stop'));
    this.#cancel();
  }

  #deliver(): void {
    if (this.#isRunning || this.#stop.signal.aborted) return;
    this.#isRunning = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    try {
      while (!this.#stop.signal.aborted) {
        const [next] = this.#pending.values();
        if (next === undefined) return;
        const waitMs = await this.#attempt(next.outcome);
        if (waitMs > 0) await this.#wait(waitMs);
      }
    } finally {
      // At once: an outcome that is added a microtask after the last one was delivered starts the next run.
      this.#isRunning = false;
    }
  }

  /** Returns how long to wait before the next attempt. */
  async #attempt(outcome: Outcome): Promise<number> {
    const { clock, log } = this.#options;
    const { name } = this.#target;
    let problem: string;
    let askedMs = 0;
    try {
      const { status, retryAfter } = await this.#send(outcome);
      const verdict = verdictOf(status);
      if (verdict !== 'retry') {
        this.#failures = 0;
        if (verdict === 'rejected')
          log.warn({ target: name, status, id: outcome.id }, 'notification rejected by its receiver');
        this.#settle(outcome, verdict);
        return 0;
      }
      problem = String(status);
      askedMs = retryAfterMs(retryAfter, clock.now());
    } catch (error) {
      if (this.#stop.signal.aborted) return 0;
      problem = codeOf(error);
    }
    this.#failures += 1;
    this.#options.count(name, 'retried');
    // Once for each outage, and then every tenth failure.
    if (this.#failures % 10 === 1)
      log.warn(
        { target: name, problem, failures: this.#failures },
        'delivery of a notification failed; retrying',
      );
    this.#expire();
    return Math.max(askedMs, backoffMs(this.#failures, backoff, this.#options.random ?? Math.random));
  }

  #send(outcome: Outcome): Promise<PostResponse> {
    const { url, ca, format, signingKeys, timeoutMs } = this.#target;
    const body = JSON.stringify(bodies[format](outcome, this.#cluster));
    const seconds = Math.floor(this.#options.clock.now() / 1_000);
    const type =
      format === 'cloudevents' ? 'application/cloudevents+json; charset=utf-8' : 'application/json';
    const headers = { 'content-type': type, ...signatureHeaders(signingKeys, outcome.id, seconds, body) };
    const send = this.#options.send ?? post;
    return send({ url, ca, headers, body, timeoutMs, signal: this.#stop.signal });
  }

  #expire(): void {
    const { clock, log } = this.#options;
    const old = [...this.#pending.values()].filter(({ since }) => clock.monotonic() - since > patienceMs);
    for (const { outcome } of old) this.#settle(outcome, 'expired');
    if (old.length > 0)
      log.error(
        { target: this.#target.name, notifications: old.length },
        'notifications expired undelivered',
      );
  }

  #settle(outcome: Outcome, result: AttemptResult): void {
    this.#pending.delete(outcome.id);
    this.#options.count(this.#target.name, result);
    this.#options.onSettled(this.#target.name, outcome);
  }

  /** Ends early when the target is replaced or the queue is closed. */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve);
      this.#cancel = () => {
        cancel();
        resolve();
      };
    });
  }
}

const bodies = { cloudevents: cloudEvent, slack: slackMessage, teams: teamsMessage };

/** Messages of errors may contain the host of the target, so only codes are logged. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error.name === 'TimeoutError') return 'timeout';
  // An aborted request has the reason as its cause.
  if (error.cause instanceof Error && error.cause.name === 'TimeoutError') return 'timeout';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
