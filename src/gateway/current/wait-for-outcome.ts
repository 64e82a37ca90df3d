import type { ConfigRollout } from '../../api/config-rollout.ts';
import { type AskOutcome, askOutcome } from '../../core/activation/ask.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { ConfigAddress } from '../versions/config-address.ts';
import { readRollout } from '../versions/read-config.ts';
import { missing } from './read-current.ts';
import type { CurrentServices } from './services.ts';

/** A hint may be lost with a watch: look without one now and then. */
const lookEveryMs = 5_000;

/** Holds until a request for a version has come to something, or its time is over; reads as the person who asked. */
export async function waitForOutcome(
  { hub, news, clock }: CurrentServices,
  client: KubeClient,
  address: ConfigAddress,
  version: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<{ rollout: ConfigRollout; outcome: AskOutcome }> {
  const until = clock.monotonic() + waitMs;
  let wake: (() => void) | undefined;
  let hinted = false;
  const hint = () => {
    hinted = true;
    wake?.();
  };
  await news.rollouts(address.namespace, signal);
  // Phases and conditions count here, too, so that what concerns no version is a hint as well.
  const leave = hub.listen(address, { hint, passed: hint });
  signal.addEventListener('abort', hint, { once: true });
  try {
    for (;;) {
      hinted = false;
      const rollout = await readRollout(client, address, signal);
      if (rollout === undefined) throw missing(address);
      const outcome = askOutcome(rollout, version);
      const leftMs = until - clock.monotonic();
      if (outcome.came !== 'under way' || leftMs <= 0) return { rollout, outcome };
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
    signal.removeEventListener('abort', hint);
    leave();
  }
}
