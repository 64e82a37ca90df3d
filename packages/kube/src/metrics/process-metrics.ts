import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from './metrics.ts';

/** Registers the process metrics that all Prometheus clients have. Values are read at each scrape. */
export function registerProcessMetrics(registry: Registry): void {
  registry.gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory size in bytes.',
    collect: (set) => set({}, process.memoryUsage.rss()),
  });
  registry.counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time spent in seconds.',
    collect(set) {
      const { user, system } = process.cpuUsage();
      set({}, (user + system) / 1e6);
    },
  });
  registry.gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process since unix epoch in seconds.',
    collect: (set) => set({}, performance.timeOrigin / 1000),
  });
}

/**
 * Registers a metric of event loop lag, for programs that serve many clients. It is separate because it wakes the
 * process ten times per second, which is too much for the agent. The returned function stops the measurement.
 */
export function registerEventLoopLag(registry: Registry): () => void {
  const resolutionMs = 100;
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  registry.gauge({
    name: 'nodejs_eventloop_lag_p99_seconds',
    help: 'The 99th percentile of the event loop lag since the last scrape.',
    collect(set) {
      // Node records the whole interval between two ticks, so an idle loop reports the resolution.
      const lagMs = delay.percentile(99) / 1e6 - resolutionMs;
      set({}, Math.max(0, lagMs) / 1000);
      delay.reset();
    },
  });
  return () => void delay.disable();
}
