import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { type RequestOutcome, requestOutcome } from '../../core/activation/version-request.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { noConfig } from '../../versions/not-found.ts';
import { readRollout } from '../../versions/read-config.ts';
import { fromUpstream } from '../answer/status-error.ts';
import type { CurrentServices } from './services.ts';

/** Interval of reads without a hint, because a broken watch may lose hints. */
const lookEveryMs = 5_000;

interface WaitResult {
  /** The ConfigRollout as last read. */
  rollout: ConfigRollout;
  outcome: RequestOutcome;
  /** Why the wait ended early or the outcome could not be read; undefined when the wait timed out. */
  interruption: string | undefined;
}

/**
 * Waits until a request for a version has an outcome, or until the timeout; reads with the caller's rights. The request
 * was accepted, so a failed read does not make it fail.
 */
export async function waitForOutcome(
  { hub, watches, clock, stopping }: CurrentServices,
  client: KubeClient,
  address: ConfigAddress,
  version: string,
  accepted: ConfigRollout,
  waitMs: number,
  signal: AbortSignal,
): Promise<WaitResult> {
  const until = clock.monotonic() + waitMs;
  const looking = AbortSignal.any([signal, stopping]);
  let rollout = accepted;
  let wake: (() => void) | undefined;
  let hinted = false;
  const hint = () => {
    hinted = true;
    wake?.();
  };
  // Phases and conditions matter here, so a change that affects no version is a hint as well.
  const leave = hub.listen(address, { hint, advanced: hint });
  looking.addEventListener('abort', hint, { once: true });
  // One more read catches changes from before the watch was established. Without a watch, periodic reads do.
  watches.rollouts(address.namespace, looking).then(hint, () => {});
  try {
    for (;;) {
      hinted = false;
      const seen = await readOnce(client, address, looking);
      signal.throwIfAborted();
      if ('rollout' in seen) rollout = seen.rollout;
      const outcome = requestOutcome(rollout, version);
      const leftMs = until - clock.monotonic();
      const interruption = stopping.aborted
        ? 'the gateway is shutting down'
        : 'problem' in seen
          ? seen.problem
          : undefined;
      const isLast = stopping.aborted || leftMs <= 0 || ('problem' in seen && !seen.passes);
      if (outcome.state !== 'in-progress' || isLast) return { rollout, outcome, interruption: interruption };
      await new Promise<void>((resolve) => {
        const cancel = clock.after(Math.min(leftMs, lookEveryMs), resolve);
        wake = () => {
          cancel();
          resolve();
        };
        if (hinted) wake();
      });
      signal.throwIfAborted();
    }
  } finally {
    looking.removeEventListener('abort', hint);
    leave();
  }
}

type Seen = { rollout: ConfigRollout } | { problem: string; passes: boolean };

async function readOnce(client: KubeClient, address: ConfigAddress, signal: AbortSignal): Promise<Seen> {
  let found: ConfigRollout | undefined;
  try {
    found = await readRollout(client, address, signal);
  } catch (error) {
    if (signal.aborted) return { problem: 'the wait was aborted', passes: false };
    const refusal = fromUpstream(error, true);
    if (refusal === undefined) throw error;
    const { code, message = '' } = refusal.body;
    return { problem: message, passes: code >= 500 || code === 429 };
  }
  if (found === undefined) throw noConfig(address);
  return { rollout: found };
}
