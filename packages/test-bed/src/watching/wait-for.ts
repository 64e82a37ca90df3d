import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import { Account, seconds } from './account.ts';

/** What one look found: what was waited for, or what was there instead. */
export type Look<T> = { met: T } | { seen: string };

export interface WaitOptions {
  timeoutMs?: number;
  everyMs?: number;
  /** When something last happened, as `performance.now` tells time: the time to wait begins anew with it. */
  lastNews?: () => number;
  /** Asked when time has run out: what the surroundings look like. */
  scene?: () => Promise<string>;
}

/**
 * Looks until it finds what it waits for. When time runs out, the error tells what was seen, when, and what the
 * surroundings look like.
 */
export async function waitFor<T>(
  what: string,
  look: () => Promise<Look<T>>,
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
    if (idle >= timeoutMs) throw await ranOut(what, elapsed, account, scene);
    await delay(everyMs);
  }
}

/** A server that refuses or cannot be reached is something seen; anything else is a mistake in the test. */
export function asSeen(error: unknown): { seen: string } {
  if (error instanceof ApiError || error instanceof NetworkError) return { seen: error.message };
  throw error;
}

export async function ranOut(
  what: string,
  elapsed: number,
  account: Account,
  scene: WaitOptions['scene'],
): Promise<Error> {
  const lines = [`Waited ${seconds(elapsed).trim()} for: ${what}. Seen instead:`, account.render()];
  if (scene)
    lines.push(await scene().catch((error: unknown) => `(the surroundings cannot be read: ${error})`));
  return new Error(lines.join('\n'));
}
