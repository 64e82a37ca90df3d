import { randomBytes } from 'node:crypto';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { acknowledgementMetrics } from '../acknowledgements/acknowledgement-metrics.ts';
import { ReportWriter } from '../acknowledgements/report-writer.ts';
import { PodConfigs } from '../pods/pod-configs.ts';
import { ClusterWatches } from '../streams/cluster-watches.ts';
import { StreamHub } from '../streams/hub.ts';
import { streamMetrics } from '../streams/stream-metrics.ts';
import type { CurrentServices } from './services.ts';

export interface CurrentOptions {
  /** Uses the gateway's own credentials, which have `gatewayRights`. */
  client: KubeClient;
  clock: Clock;
  log: Logger;
  metrics?: Registry;
  /** Serves only these namespaces. Defaults to all namespaces. */
  namespaces?: readonly string[];
  /** See WatchesOptions. */
  perNamespace?: boolean;
  /** Whether the gateway may read Secrets. Defaults to true. */
  secrets?: boolean;
  /** Defaults to 32: a watch for each config of a pod, and another while its old connection is not known to be dead. */
  maxStreamsPerPod?: number;
  /** Defaults to 4 MiB: a version has at most 1 MiB, and a reader may be a few versions behind. */
  maxBufferBytes?: number;
}

export interface Current extends CurrentServices {
  /** Answers waiting requests and ends all streams as at their timeout. Call it before the server is closed. */
  close(): Promise<void>;
}

/** Creates the services of `…/current`. Their watches start with the first request. */
export function startCurrent(options: CurrentOptions): Current {
  const { client, clock, secrets = true, maxStreamsPerPod = 32, maxBufferBytes = 4 * 2 ** 20 } = options;
  const hub = new StreamHub(clock, maxStreamsPerPod);
  if (options.metrics !== undefined) streamMetrics(options.metrics, () => hub.size);
  const reports = new ReportWriter({
    ...{ client, clock, log: options.log },
    gateway: randomBytes(5).toString('hex'),
  });
  const watches = new ClusterWatches(
    { ...options, secrets },
    {
      onRollout: (change) => hub.rolloutChanged(change),
      onPod: (change) => {
        hub.podChanged(change);
        if (change.before?.uid !== change.after?.uid) reports.forget(change.before?.uid);
      },
      onConfig: (kind, change) => hub.configChanged(kind, change),
      onWorkload: (kind, change) => hub.workloadChanged(kind, change),
    },
  );
  const stop = new AbortController();
  return {
    clock,
    hub,
    watches,
    pods: new PodConfigs(client, watches, secrets, clock),
    reports,
    countAcknowledgement: acknowledgementMetrics(options.metrics),
    maxBufferBytes,
    stopping: stop.signal,
    async close() {
      stop.abort(new Error('the gateway is shutting down'));
      hub.close();
      await watches.close();
    },
  };
}
