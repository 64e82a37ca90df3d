import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { PodConfigs } from '../pods/pod-configs.ts';
import { ClusterWatches } from '../streams/cluster-watches.ts';
import { StreamHub } from '../streams/hub.ts';
import { streamMetrics } from '../streams/stream-metrics.ts';
import type { CurrentServices } from './services.ts';

export interface CurrentOptions {
  /** The gateway's own identity, with `gatewayRights`. */
  client: KubeClient;
  clock: Clock;
  log: Logger;
  metrics?: Registry;
  /** Serves one namespace only; all unless told. */
  namespace?: string;
  /** See WatchesOptions. */
  perNamespace?: boolean;
  /** False where it may not read Secrets; true unless told. */
  secrets?: boolean;
  /** 32 unless told: a pod watches each of its configs once, and again before an old connection is known to be dead. */
  maxStreamsPerPod?: number;
  /** 4 MiB unless told: a version has at most 1 MiB, and a reader may be a few behind. */
  maxBufferBytes?: number;
}

export interface Current extends CurrentServices {
  /** Answers who is held, and ends all streams, as watches end whose time is over: call it before the server waits for them. */
  close(): Promise<void>;
}

/** What the routes of `…/current` need; watches begin with the first who asks. */
export function startCurrent(options: CurrentOptions): Current {
  const { client, clock, secrets = true, maxStreamsPerPod = 32, maxBufferBytes = 4 * 2 ** 20 } = options;
  const hub = new StreamHub(clock, maxStreamsPerPod);
  if (options.metrics !== undefined) streamMetrics(options.metrics, () => hub.size);
  const watches = new ClusterWatches(
    { ...options, secrets },
    {
      onRollout: (change) => hub.rolloutChanged(change),
      onPod: (change) => hub.podChanged(change),
      onConfig: (kind, change) => hub.configChanged(kind, change),
    },
  );
  const stop = new AbortController();
  return {
    clock,
    hub,
    watches,
    pods: new PodConfigs(client, watches, secrets),
    maxBufferBytes,
    stopping: stop.signal,
    async close() {
      stop.abort(new Error('the gateway stops'));
      hub.close();
      await watches.close();
    },
  };
}
