import type { Registry } from '../metrics/metrics.ts';
import type { WatchHealth } from './health.ts';
import type { RelistCause } from './next-move.ts';
import type { Incoming } from './read-event.ts';

/** What a reflector reports; `name` tells one watch from the others of the program. */
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
    help: 'Events that watches received, by what they were about.',
    labels: ['watch', 'kind'],
  });
  const relists = registry.counter({
    name: 'trimtab_watch_relists_total',
    help: 'How often a collection was read as a whole, by cause.',
    labels: ['watch', 'cause'],
  });
  const failures = registry.counter({
    name: 'trimtab_watch_failures_total',
    help: 'Attempts to list or watch that failed, by HTTP status or network code.',
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
    'Since the server last said anything on the watch, bookmarks included.',
    () => read().health.secondsSinceActivity,
  );
  gauge('trimtab_watch_synced', '1 once the cache has been complete.', () => (read().health.synced ? 1 : 0));
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
