import type { Clock } from '@trimtab/kube/clock.ts';
import type { PodConfigs } from '../pods/pod-configs.ts';
import type { ClusterWatches } from '../streams/cluster-watches.ts';
import type { StreamHub } from '../streams/hub.ts';

/** What the routes of `…/current` share: the streams, and what feeds them. */
export interface CurrentServices {
  clock: Clock;
  hub: StreamHub;
  watches: ClusterWatches;
  pods: PodConfigs;
  /** What a reader of a stream may be behind before it is dropped. */
  maxBufferBytes: number;
  /** Aborts when the gateway stops: who is held gets an answer then. */
  stopping: AbortSignal;
}
