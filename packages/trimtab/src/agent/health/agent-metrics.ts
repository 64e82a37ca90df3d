import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import type { SourceState } from '../files/file-set.ts';

/** Metrics of reloads. */
export interface AgentMetrics {
  /** `now` in milliseconds since the epoch. */
  reloaded(isSuccessful: boolean, seconds: number, now: number): void;
  /** The configs whose files are in place. */
  holds(sources: readonly SourceState[]): void;
}

export function agentMetrics(registry: Registry): AgentMetrics {
  let held: readonly SourceState[] = [];
  const reloads = registry.counter({
    name: 'trimtab_agent_reloads_total',
    help: 'Reloads of the application, by result.',
    labels: ['result'],
  });
  const successful = registry.gauge({
    name: 'trimtab_agent_last_reload_successful',
    help: 'Whether the last reload was successful.',
  });
  const attempted = registry.gauge({
    name: 'trimtab_agent_last_reload_attempt_timestamp_seconds',
    help: 'Time of the last reload since unix epoch in seconds.',
  });
  const succeeded = registry.gauge({
    name: 'trimtab_agent_last_reload_success_timestamp_seconds',
    help: 'Time of the last successful reload since unix epoch in seconds.',
  });
  const duration = registry.histogram({
    name: 'trimtab_agent_reload_duration_seconds',
    help: 'Time from the observation of a change to the end of the reload.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
  });
  registry.gauge({
    name: 'trimtab_agent_config_info',
    help: 'The configs whose files are in place, by resourceVersion. The value is always 1.',
    labels: ['kind', 'namespace', 'name', 'resource_version'],
    collect(set) {
      for (const { kind, namespace, name, resourceVersion } of held)
        set({ kind, namespace, name, resource_version: resourceVersion }, 1);
    },
  });
  return {
    reloaded(isSuccessful, seconds, now) {
      reloads.inc({ result: isSuccessful ? 'success' : 'failure' });
      successful.set({}, isSuccessful ? 1 : 0);
      attempted.set({}, now / 1000);
      if (isSuccessful) succeeded.set({}, now / 1000);
      duration.observe({}, seconds);
    },
    holds(sources) {
      held = sources;
    },
  };
}
