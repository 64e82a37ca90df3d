import type { Registry } from '@trimtab/kube/metrics/metrics.ts';

/**
 * What becomes of an attempt: delivered; retried, after a failure; rejected by a response that forbids a retry; expired,
 * after failures for too long; or dropped, because too many notifications wait.
 */
export const attemptResults = ['delivered', 'retried', 'rejected', 'expired', 'dropped'] as const;

export type AttemptResult = (typeof attemptResults)[number];

export interface PendingNotifications {
  target: string;
  count: number;
  oldestSeconds: number;
}

/** Targets are those of the file of --notifications, so their number is that of the operator's choice. */
export function notificationMetrics(
  registry: Registry,
  pending: () => readonly PendingNotifications[],
): (target: string, result: AttemptResult, by?: number) => void {
  const total = registry.counter({
    name: 'trimtab_notifications_total',
    help: 'Attempts to deliver notifications, by result: delivered, retried, rejected by the receiver, expired after failures for an hour, or dropped because too many wait.',
    labels: ['target', 'result'],
  });
  registry.gauge({
    name: 'trimtab_notifications_pending',
    help: 'Notifications that are not delivered yet, by target.',
    labels: ['target'],
    collect: (set) => {
      for (const { target, count } of pending()) set({ target }, count);
    },
  });
  registry.gauge({
    name: 'trimtab_notifications_oldest_pending_seconds',
    help: 'Time for which the oldest notification that is not delivered has been waiting, by target; 0 when none waits.',
    labels: ['target'],
    collect: (set) => {
      for (const { target, oldestSeconds } of pending()) set({ target }, oldestSeconds);
    },
  });
  return (target, result, by = 1) => total.inc({ target, result }, by);
}
