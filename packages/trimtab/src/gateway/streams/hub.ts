import type { Clock } from '@trimtab/kube/clock.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { marksKey, type RolloutMarks } from '../../core/version/applied-version.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import { StatusError } from '../answer/status-error.ts';
import type { PodCaller } from '../request/gateway-request.ts';
import type { ConfigAddress } from '../versions/addressing/config-address.ts';
import type { PodNames } from './news.ts';
import type { VersionStream } from './version-stream.ts';

/** Somebody who wants to know when another version may apply. */
export interface Listener {
  hint(): void;
  passed(resourceVersion: string): void;
}

/** Every stream has its turn once in so many beats. */
const beatsPerRound = 30;
const beatMs = 1_000;

/** All open streams, and who else waits for changes: found by what changed, never one by one. */
export class StreamHub {
  readonly #clock: Clock;
  readonly #maxStreamsPerPod: number;
  readonly #byRollout = new SetMap<Listener>();
  readonly #byConfig = new SetMap<Listener>();
  readonly #byPod = new SetMap<VersionStream>();
  readonly #turns = Array.from({ length: beatsPerRound }, () => new Set<VersionStream>());
  #opened = 0;
  #beat = 0;
  /** Set while there are streams: without any, no timer runs. */
  #cancelBeat: (() => void) | undefined;
  #closed = false;

  constructor(clock: Clock, maxStreamsPerPod: number) {
    this.#clock = clock;
    this.#maxStreamsPerPod = maxStreamsPerPod;
  }

  get size(): number {
    return this.#turns.reduce((sum, turn) => sum + turn.size, 0);
  }

  /** Answers how to end it. */
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

  /** Takes a stream in until its response is closed. Throws a StatusError when its pod has too many of them. */
  open(address: ConfigAddress, stream: VersionStream, pod: PodCaller | undefined): () => void {
    if (this.#closed) throw new StatusError(503, 'ServiceUnavailable', 'the gateway stops; connect again');
    if (pod !== undefined && this.#byPod.count(pod.uid) >= this.#maxStreamsPerPod)
      throw new StatusError(
        429,
        'TooManyRequests',
        `pod ${JSON.stringify(pod.name)} has ${this.#maxStreamsPerPod} open watches, which is all a pod gets: close one of them`,
        { retryAfterSeconds: 5 },
        { 'retry-after': '5' },
      );
    const turn = this.#turns[this.#opened++ % beatsPerRound];
    const unlisten = this.listen(address, stream);
    turn?.add(stream);
    this.#cancelBeat ??= this.#nextBeat();
    if (pod !== undefined) this.#byPod.add(pod.uid, stream);
    return () => {
      unlisten();
      turn?.delete(stream);
      if (pod !== undefined) this.#byPod.remove(pod.uid, stream);
    };
  }

  rolloutChanged({ key, before, after }: Change<RolloutMarks>): void {
    const isSame = before !== undefined && after !== undefined && marksKey(before) === marksKey(after);
    for (const listener of this.#byRollout.get(key)) {
      if (isSame) listener.passed(after.resourceVersion);
      else listener.hint();
    }
  }

  headChanged(kind: ConfigKind, { key, before, after }: Change<string>): void {
    if (before === after) return;
    for (const listener of this.#byConfig.get(`${kind}/${key}`)) listener.hint();
  }

  /** A pod that goes takes its streams along; so does one whose name another one has now. */
  podChanged({ before, after }: Change<PodNames>): void {
    if (before === undefined || before.uid === after?.uid) return;
    for (const stream of [...this.#byPod.get(before.uid)]) stream.end();
  }

  /** Ends all streams as if their time was over: clients connect again, to another replica. */
  close(): void {
    this.#closed = true;
    this.#cancelBeat?.();
    for (const turn of this.#turns) for (const stream of [...turn]) stream.end();
  }

  #nextBeat(): () => void {
    return this.#clock.after(beatMs, () => {
      this.#beat = (this.#beat + 1) % beatsPerRound;
      for (const stream of [...(this.#turns[this.#beat] ?? [])]) stream.beat();
      this.#cancelBeat = this.#closed || this.size === 0 ? undefined : this.#nextBeat();
    });
  }
}

const none: ReadonlySet<never> = new Set();

/** Key → set, without empty sets. */
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
