import type { Clock } from '../clock.ts';

/** Calls back when `lastActivity` lies longer than `limit` back; looks only when that could be so. */
export function watchSilence(
  clock: Clock,
  lastActivity: () => number,
  limit: () => number,
  onSilence: () => void,
): () => void {
  let cancel: () => void;
  const look = () => {
    const left = lastActivity() + limit() - clock.monotonic();
    if (left <= 0) onSilence();
    else cancel = clock.after(left, look);
  };
  cancel = clock.after(limit(), look);
  return () => cancel();
}
