import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Store } from '../../store/store.ts';

/** How far back in time lists and watches can start, as in Kubernetes. */
export const usualHistoryMs = 5 * 60_000;

/** Compacts old history periodically. Returns a function that stops the compaction. */
export function startCompaction(store: Store, clock: Clock, log: Logger, historyMs: number): () => void {
  const everyMs = historyMs / 5;
  let cancel: () => void;
  const plan = () => {
    cancel = clock.after(everyMs, () => {
      try {
        store.compactBefore(clock.now() - historyMs);
      } catch (err) {
        log.error({ err }, 'compaction failed');
      }
      plan();
    });
  };
  plan();
  return () => cancel();
}
