import type { Clock } from '@trimtab/kube/clock.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { type RolloutSummary, summaryKey } from '../../core/version/applied-version.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import type { WorkloadKind } from '../../core/workload/observed.ts';
import { retryLater } from '../answer/status-error.ts';
import type { PodCaller } from '../request/gateway-request.ts';
import type { AssignedWorkload, PodNames } from './cluster-watches.ts';
import type { VersionStream } from './version-stream.ts';

/** Is notified when another version may apply to it. */
export interface Listener {
  hint(): void;
  advanced(resourceVersion: string): void;
}

/** Streams are spread over this many slots; each heartbeat serves one slot. */
const heartbeatsPerRound = 30;
const heartbeatMs = 1_000;

/** All open streams and other listeners, indexed by what they depend on, so a change needs no scan of all streams. */
export class StreamHub {
  readonly #clock: Clock;
  readonly #maxStreamsPerPod: number;
  readonly #byRollout = new SetMap<Listener>();
  readonly #byConfig = new SetMap<Listener>();
  readonly #byPod = new SetMap<VersionStream>();
  readonly #byWorkload = new SetMap<VersionStream>();
  readonly #heartbeatSlots = Array.from({ length: heartbeatsPerRound }, () => new Set<VersionStream>());
  #opened = 0;
  #beat = 0;
  /** Set while there are streams; without streams no timer runs. */
  #cancelHeartbeat: (() => void) | undefined;
  #closed = false;

  constructor(clock: Clock, maxStreamsPerPod: number) {
    this.#clock = clock;
    this.#maxStreamsPerPod = maxStreamsPerPod;
  }

  get size(): number {
    return this.#heartbeatSlots.reduce((sum, slot) => sum + slot.size, 0);
  }

  /** Returns the function that removes the listener. */
  listen({ kind, namespace, name }: ConfigAddress, listener: Listener): () => void {
    const rollout = `${namespace}/${rolloutName(kind, name)}`;
    const config = `${kind}/${namespace}/${name}`;
    this.#byRollout.add(rollout, listener);
    this.#byConfig.add(config, listener);
    return () => {
      this.#byRollout.remove(rollout, listener);
      this.#byConfig.remove(config, listener);
    };
  }

  /**
   * Adds a stream and returns the function that removes it. `workload` is that of the pod, such as `Deployment/web`. Throws a StatusError when its pod has too many streams.
   */
  open(
    address: ConfigAddress,
    stream: VersionStream,
    pod: PodCaller | undefined,
    workload: string | undefined,
  ): () => void {
    if (this.#closed) throw retryLater(503, 'the gateway is shutting down; watch again after 1 s', 1);
    if (pod !== undefined && this.#byPod.count(pod.uid) >= this.#maxStreamsPerPod)
      throw retryLater(
        429,
        `pod ${JSON.stringify(pod.name)} has ${this.#maxStreamsPerPod} open watches, the limit for one pod: close one of them, or retry after 5 s`,
        5,
      );
    const slot = this.#heartbeatSlots[this.#opened++ % heartbeatsPerRound];
    const unlisten = this.listen(address, stream);
    slot?.add(stream);
    this.#cancelHeartbeat ??= this.#nextHeartbeat();
    if (pod !== undefined) this.#byPod.add(pod.uid, stream);
    const its = workload === undefined ? undefined : `${address.namespace}/${workload}`;
    if (its !== undefined) this.#byWorkload.add(its, stream);
    return () => {
      if (its !== undefined) this.#byWorkload.remove(its, stream);
      unlisten();
      slot?.delete(stream);
      if (pod !== undefined) this.#byPod.remove(pod.uid, stream);
    };
  }

  rolloutChanged({ key, before, after }: Change<RolloutSummary>): void {
    const isSame = before !== undefined && after !== undefined && summaryKey(before) === summaryKey(after);
    for (const listener of this.#byRollout.get(key)) {
      if (isSame) listener.advanced(after.resourceVersion);
      else listener.hint();
    }
  }

  workloadChanged(kind: WorkloadKind, { key, before, after }: Change<AssignedWorkload>): void {
    if (before?.hash === after?.hash && before?.uid === after?.uid) return;
    const [namespace, name] = key.split('/');
    for (const stream of this.#byWorkload.get(`${namespace}/${kind}/${name}`)) stream.hint();
  }

  configChanged(kind: ConfigKind, { key, before, after }: Change<string>): void {
    if (before === after) return;
    for (const listener of this.#byConfig.get(`${kind}/${key}`)) listener.hint();
  }

  /** Ends the streams of a pod that has ended, was deleted, or was replaced by another pod of the same name. */
  podChanged({ before, after }: Change<PodNames>): void {
    if (before === undefined) return;
    if (before.uid === after?.uid && (after.endedAs === undefined || before.endedAs !== undefined)) return;
    for (const stream of [...this.#byPod.get(before.uid)]) stream.end();
  }

  /** Ends all streams as at their timeout; clients reconnect to another replica. */
  close(): void {
    this.#closed = true;
    this.#cancelHeartbeat?.();
    for (const slot of this.#heartbeatSlots) for (const stream of [...slot]) stream.end();
  }

  #nextHeartbeat(): () => void {
    return this.#clock.after(heartbeatMs, () => {
      this.#beat = (this.#beat + 1) % heartbeatsPerRound;
      for (const stream of [...(this.#heartbeatSlots[this.#beat] ?? [])]) stream.heartbeat();
      this.#cancelHeartbeat = this.#closed || this.size === 0 ? undefined : this.#nextHeartbeat();
    });
  }
}

const none: ReadonlySet<never> = new Set();

/** Maps keys to sets and drops empty sets. */
class SetMap<T> {
  readonly #sets = new Map<string, Set<T>>();

  get(key: string): ReadonlySet<T> {
    return this.#sets.get(key) ?? none;
  }

  count(key: string): number {
    return this.#sets.get(key)?.size ?? 0;
  }

  add(key: string, value: T): void {
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([value]));
    else set.add(value);
  }

  remove(key: string, value: T): void {
    const set = this.#sets.get(key);
    if (set?.delete(value) && set.size === 0) this.#sets.delete(key);
  }
}
