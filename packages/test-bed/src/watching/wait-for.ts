import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import { Account, seconds } from './account.ts';

/** The result of one check: the awaited value, or a description of the observed state. */
export type Observation<T> = { met: T } | { seen: string };

export interface WaitOptions {
  timeoutMs?: number;
  everyMs?: number;
  /** Time of the last activity, in the time of `performance.now`. Each activity restarts the timeout. */
  lastNews?: () => number;
  /** Describes the state of the cluster. Called when the wait times out. */
  scene?: () => Promise<string>;
}

/**
 * Calls `look` until it returns the awaited value. On a timeout, the error contains the observed states with their
 * times, and the description of the cluster.
 */
export async function waitFor<T>(
  what: string,
  look: () => Promise<Observation<T>>,
  { timeoutMs = 30_000, everyMs = 50, lastNews, scene }: WaitOptions = {},
): Promise<T> {
  const account = new Account();
  const start = performance.now();
  for (;;) {
    const found = await look().catch(asSeen);
    if ('met' in found) return found.met;
    const elapsed = performance.now() - start;
    account.note(elapsed, found.seen);
    const idle = lastNews === undefined ? elapsed : Math.min(elapsed, performance.now() - lastNews());
    if (idle >= timeoutMs) throw await timeoutError(what, elapsed, account, scene);
    await delay(everyMs);
  }
}

/** An error of the API server or of the network is an observed state. Any other error is a defect of the test. */
export function asSeen(error: unknown): { seen: string } {
  if (error instanceof ApiError || error instanceof NetworkError) return { seen: error.message };
  throw error;
}

export async function timeoutError(
  what: string,
  elapsed: number,
  account: Account,
  scene: WaitOptions['scene'],
): Promise<Error> {
  const lines = [
    `Timed out after ${seconds(elapsed).trim()} waiting for: ${what}. Observed:`,
    account.render(),
  ];
  if (scene)
    lines.push(
      await scene().catch((error: unknown) => `(reading the state of the cluster failed: ${error})`),
    );
  return new Error(lines.join('\n'));
}
