import type { Clock } from '@trimtab/kube/clock.ts';
import type { acknowledgementMetrics } from '../acknowledgements/acknowledgement-metrics.ts';
import type { ReportWriter } from '../acknowledgements/report-writer.ts';
import type { PodConfigs } from '../pods/pod-configs.ts';
import type { ClusterWatches } from '../streams/cluster-watches.ts';
import type { StreamHub } from '../streams/hub.ts';

/** Services that the routes of `…/current` share: the open streams and the watches that feed them. */
export interface CurrentServices {
  clock: Clock;
  hub: StreamHub;
  watches: ClusterWatches;
  pods: PodConfigs;
  /** What agents report. */
  reports: ReportWriter;
  countAcknowledgement: ReturnType<typeof acknowledgementMetrics>;
  /** Unsent bytes at which the slow reader of a stream is disconnected. */
  maxBufferBytes: number;
  /** Aborts when the gateway shuts down; requests with `?wait` are then answered. */
  stopping: AbortSignal;
}
