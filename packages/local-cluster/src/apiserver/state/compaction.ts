import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Store } from '../../store/store.ts';

/** How long lists and watches can go back, as in Kubernetes. */
export const usualHistoryMs = 5 * 60_000;

/** Forgets old history now and then. The answer ends that. */
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
