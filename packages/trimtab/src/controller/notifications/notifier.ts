import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import {
  type DeliveryRecord,
  formatRecords,
  isDelivered,
  newRecord,
  parseRecords,
  withDelivered,
} from '../../core/notification/delivery-record.ts';
import { type Outcome, outcomesOf } from '../../core/notification/outcome.ts';
import { type DeliveryOptions, DeliveryQueue } from './delivery-queue.ts';
import { attemptResults, notificationMetrics } from './notification-metrics.ts';
import type { Target } from './targets.ts';
import type { TargetsFile } from './targets-file.ts';

export interface NotifierOptions {
  client: KubeClient;
  clock: Clock;
  log: Logger;
  metrics: Registry;
  /** The ConfigMap that records deliveries. */
  record: { namespace: string; name: string };
  file: TargetsFile;
  /** How long a rollout has to be stalled before that is an outcome. */
  stalledForMs: number;
  /** Optional, defaults to an HTTP request. */
  send?: NonNullable<DeliveryOptions['send']>;
}

interface Rollouts {
  subscribe(handler: (change: Change<ConfigRollout>) => void): () => void;
  cache: { get(key: string): ConfigRollout | undefined; entries(): Iterable<[string, ConfigRollout]> };
}

interface Unwanted {
  target: string;
  outcome: Outcome;
}

interface Recorded extends KubeObject {
  data?: Record<string, string>;
}

const dataKey = 'deliveries.json';
/** Deliveries are recorded together; a leader that is killed before repeats those of the last second. */
const recordAfterMs = 1_000;
/** Outcomes that a target does not want advance its record as well, which is not urgent. */
const recordUnwantedAfterMs = 60_000;
const retryMs = 2_000;
const lastWriteMs = 1_000;

/**
 * Sends a notification for each outcome of a rollout, to each target. Outcomes are derived from the status of rollouts and
 * compared with the record of deliveries, so that each one is sent at least once, also when the leader changes.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #count: ReturnType<typeof notificationMetrics>;
  #queues = new Map<string, { queue: DeliveryQueue; target: Target }>();
  #records = new Map<string, DeliveryRecord>();
  #cancelWrite: (() => void) | undefined;
  #writeDue = Number.POSITIVE_INFINITY;
  #writing: Promise<void> = Promise.resolve();
  #isUnwritten = false;
  #leading = AbortSignal.abort();

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#count = notificationMetrics(options.metrics, () =>
      [...this.#queues.values()].map(({ queue }) => queue.pending),
    );
  }

  /** Runs while this process is the leader, until `signal` aborts. */
  async run(rollouts: Rollouts, signal: AbortSignal): Promise<void> {
    const { file, clock } = this.#options;
    this.#leading = signal;
    if (!(await this.#start(signal))) return;
    const timers = new Map<string, () => void>();
    const observe = (keys: readonly string[]) => {
      const unwanted: Unwanted[] = [];
      for (const key of keys) {
        timers.get(key)?.();
        timers.delete(key);
        const rollout = rollouts.cache.get(key);
        const waitMs = rollout === undefined ? 0 : this.#observe(rollout, unwanted);
        if (waitMs > 0)
          timers.set(
            key,
            clock.after(waitMs, () => observe([key])),
          );
      }
      // Only now: a record must not advance past an outcome that has not been queued.
      for (const { target, outcome } of unwanted) this.#settled(target, outcome, recordUnwantedAfterMs);
    };
    const observeAll = () => observe([...rollouts.cache.entries()].map(([key]) => key));
    observeAll();
    const unsubscribe = rollouts.subscribe(({ key }) => observe([key]));
    const unlisten = file.onChange(() => {
      this.#retarget();
      // A new target must not get outcomes of the past after a restart, either.
      this.#writeAfter(0);
      observeAll();
    });
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    unsubscribe();
    unlisten();
    for (const cancel of timers.values()) cancel();
    for (const { queue } of this.#queues.values()) queue.close();
    this.#queues = new Map();
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    this.#writeDue = Number.POSITIVE_INFINITY;
    await this.#writing;
    // Short, because another replica may lead as soon as the Lease expires.
    if (this.#isUnwritten) await this.#write(AbortSignal.timeout(lastWriteMs));
  }

  /** Reads the record, and writes it before the first outcome, so that a crash loses none. False when aborted. */
  async #start(signal: AbortSignal): Promise<boolean> {
    const { client, record, clock, log } = this.#options;
    while (!signal.aborted) {
      try {
        const found = await getIfExists<Recorded>(client, configMaps, record, { signal });
        this.#records = parseRecords(found?.data?.[dataKey]);
        this.#retarget();
        await this.#store(signal);
        return true;
      } catch (err) {
        if (signal.aborted) return false;
        log.warn(
          { err, object: { kind: 'ConfigMap', ...record } },
          'cannot read or write the record of deliveries; retrying',
        );
        await sleep(clock, retryMs, signal).catch(() => {});
      }
    }
    return false;
  }

  #retarget(): void {
    const { targets, cluster } = this.#options.file.current();
    const { clock, log, send } = this.#options;
    for (const [name, { queue }] of this.#queues) {
      if (targets.some((target) => target.name === name)) continue;
      queue.close();
      this.#queues.delete(name);
    }
    for (const name of this.#records.keys())
      if (!targets.some((target) => target.name === name)) this.#records.delete(name);
    for (const target of targets) {
      const known = this.#queues.get(target.name);
      known?.queue.replace(target, cluster);
      const queue =
        known?.queue ??
        new DeliveryQueue(target, cluster, {
          ...{ clock, log, count: this.#count, ...(send && { send }) },
          onSettled: (name, outcome) => this.#settled(name, outcome, recordAfterMs),
        });
      this.#queues.set(target.name, { queue, target });
      // A counter that first appears with the value 1 has no increase for Prometheus.
      for (const result of attemptResults) this.#count(target.name, result, 0);
      if (!this.#records.has(target.name)) this.#records.set(target.name, newRecord(clock.now()));
    }
  }

  /** Queues the new outcomes of a rollout. Returns the time after which to observe it again because one of them is not certain yet, else 0. */
  #observe(rollout: ConfigRollout, unwanted: Unwanted[]): number {
    const { clock, stalledForMs } = this.#options;
    let waitMs = 0;
    for (const outcome of outcomesOf(rollout).sort((a, b) => Date.parse(a.time) - Date.parse(b.time))) {
      if (outcome.outcome === 'stalled') {
        const restMs = Date.parse(outcome.time) + stalledForMs - clock.now();
        if (restMs > 0) {
          waitMs = restMs;
          continue;
        }
      }
      for (const [name, { queue, target }] of this.#queues) {
        const record = this.#records.get(name);
        if (record === undefined || isDelivered(record, outcome, clock.now()) || queue.has(outcome.id))
          continue;
        if (wants(target, outcome)) queue.add(outcome);
        else unwanted.push({ target: name, outcome });
      }
    }
    return waitMs;
  }

  #settled(name: string, outcome: Outcome, writeAfterMs: number): void {
    const record = this.#records.get(name);
    const queue = this.#queues.get(name)?.queue;
    if (record === undefined || queue === undefined) return;
    this.#records.set(name, withDelivered(record, outcome, queue.times, this.#options.clock.now()));
    this.#writeAfter(writeAfterMs);
  }

  #writeAfter(ms: number): void {
    const { clock } = this.#options;
    const due = clock.monotonic() + ms;
    this.#isUnwritten = true;
    if (due >= this.#writeDue) return;
    this.#cancelWrite?.();
    this.#writeDue = due;
    this.#cancelWrite = clock.after(ms, () => {
      this.#cancelWrite = undefined;
      this.#writeDue = Number.POSITIVE_INFINITY;
      this.#writing = this.#writing.then(() => this.#write(this.#leading));
    });
  }

  async #write(signal: AbortSignal): Promise<void> {
    this.#isUnwritten = false;
    try {
      await this.#store(signal);
    } catch (err) {
      this.#isUnwritten = true;
      const { log, record } = this.#options;
      log.warn(
        { err, object: { kind: 'ConfigMap', ...record } },
        'cannot write the record of deliveries; retrying',
      );
      if (this.#queues.size > 0) this.#writeAfter(retryMs);
    }
  }

  async #store(signal: AbortSignal): Promise<void> {
    const { client, record } = this.#options;
    const data = { [dataKey]: formatRecords(this.#records) };
    const found = await getIfExists<Recorded>(client, configMaps, record, { signal, projection: 'metadata' });
    if (found === undefined) {
      const created = { apiVersion: 'v1', kind: 'ConfigMap', metadata: record, data };
      await client.create(configMaps, created, { signal });
    } else await client.patch(configMaps, record, { type: 'merge', body: { data } }, { signal });
  }
}

function wants({ namespaces, outcomes }: Target, { config, outcome }: Outcome): boolean {
  return (
    (namespaces === undefined || namespaces.includes(config.namespace)) &&
    (outcomes === undefined || outcomes.includes(outcome))
  );
}
