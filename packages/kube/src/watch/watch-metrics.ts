import type { Registry } from '../metrics/metrics.ts';
import type { WatchHealth } from './health.ts';
import type { RelistCause } from './next-move.ts';
import type { Incoming } from './read-event.ts';

/** Metrics of one reflector, labelled with the name of its watch. */
export interface WatchMetrics {
  event(incoming: Incoming): void;
  relist(cause: RelistCause): void;
  failure(code: string): void;
}

export function watchMetrics(
  registry: Registry,
  name: string,
  read: () => { health: WatchHealth; objects: number },
): WatchMetrics {
  const events = registry.counter({
    name: 'trimtab_watch_events_total',
    help: 'Events received by watches, by kind of event.',
    labels: ['watch', 'kind'],
  });
  const relists = registry.counter({
    name: 'trimtab_watch_relists_total',
    help: 'Full syncs of a watched collection, by cause.',
    labels: ['watch', 'cause'],
  });
  const failures = registry.counter({
    name: 'trimtab_watch_failures_total',
    help: 'Failed list and watch requests, by HTTP status or network code.',
    labels: ['watch', 'code'],
  });
  const gauge = (metric: string, help: string, value: () => number) =>
    registry.gauge({
      name: metric,
      help,
      labels: ['watch'],
      collect: (set) => set({ watch: name }, value()),
    });
  gauge(
    'trimtab_watch_seconds_since_activity',
    'Seconds since the last event, bookmark or list page of the watch.',
    () => read().health.secondsSinceActivity,
  );
  gauge(
    'trimtab_watch_synced',
    '1 after the cache of the watch has been complete at least once, else 0.',
    () => (read().health.synced ? 1 : 0),
  );
  gauge(
    'trimtab_watch_failing_seconds',
    'Seconds since the first of the current consecutive failures of the watch; 0 while it does not fail.',
    () => read().health.failingForSeconds ?? 0,
  );
  gauge('trimtab_watch_objects', 'Objects in the cache of the watch.', () => read().objects);

  return {
    event: (incoming) => events.inc({ watch: name, kind: eventKind(incoming) }),
    relist: (cause) => relists.inc({ watch: name, cause }),
    failure: (code) => failures.inc({ watch: name, code }),
  };
}

function eventKind(incoming: Incoming): string {
  if (incoming.kind !== 'object') return incoming.kind;
  return incoming.deleted ? 'deleted' : 'changed';
}
