import type { KubeClient, ObjectKey } from '../client.ts';
import type { Clock } from '../clock.ts';
import { apiVersion, leases } from '../resource.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../transport/errors.ts';
import {
  type ElectionState,
  type ElectionStep,
  initialElectionState,
  leadsUntil,
  mayLead,
  nextStep,
  releasing,
  sawNoLease,
  sawRecord,
  sending,
} from './decision.ts';
import { type Lease, type LeaseRecord, microTime, readRecord, withRecord } from './record.ts';
import type { LeaseTiming } from './timing.ts';

interface CandidateOptions {
  client: KubeClient;
  lease: ObjectKey & { namespace: string };
  identity: string;
  timing: LeaseTiming;
  clock: Clock;
}

/** One candidate of an election: what it knows about the Lease, and the requests that read and write the Lease. */
export class Candidate {
  readonly #options: CandidateOptions;
  readonly #call: { timeoutMs: number };
  #knows: ElectionState;
  #lease: Lease | undefined;
  #writeNumber = 0;

  constructor(options: CandidateOptions) {
    this.#options = options;
    this.#knows = initialElectionState(options.identity);
    // A third of the deadline, so that after a request that hangs there is time to read the Lease and to retry.
    this.#call = { timeoutMs: options.timing.renewDeadlineMs / 3 };
  }

  mayLead(): boolean {
    return mayLead(this.#knows, this.#options.timing, this.#options.clock.monotonic());
  }

  leadsUntil(): number | undefined {
    return leadsUntil(this.#knows, this.#options.timing);
  }

  /** Returns whether this candidate holds the Lease, or may hold it through a write whose response was lost. */
  mightHold(): boolean {
    const { lease, seen, writes } = this.#knows;
    return seen?.mine === true || (lease === 'unread' && writes.length > 0);
  }

  /** Holder of the Lease when it was last observed; undefined when the Lease had no holder. */
  holder(): string | undefined {
    const holder = this.#knows.seen?.holder;
    return holder === '' ? undefined : holder;
  }

  /** The last observed resourceVersion of the Lease. A watch from this version misses no change. */
  resourceVersion(): string | undefined {
    return this.#lease?.metadata.resourceVersion;
  }

  /**
   * Acquires or renews the Lease if possible. Rejects when a request fails; in either case `mayLead` tells afterwards
   * whether this candidate leads. The holder writes without reading first; other candidates read first.
   */
  async round(): Promise<void> {
    if (!this.mayLead() || this.#knows.lease === 'unread') await this.#read();
    try {
      await this.#act();
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      // Another candidate was faster, or an earlier write of this candidate took effect. Read the Lease to find out.
      await this.#read();
      await this.#act();
    }
  }

  /**
   * Clears the holder of the Lease, so another candidate can acquire it immediately. Call it only after the work has
   * stopped. Returns whether this candidate held the Lease.
   */
  async release(): Promise<boolean> {
    this.#knows = releasing(this.#knows);
    await this.#read();
    const { seen } = this.#knows;
    if (!seen?.mine || this.#lease === undefined || this.#knows.lease !== 'present') return false;
    const time = this.#time();
    const record = { ...seen.record, holder: '', durationMs: 1000, acquireTime: time, renewTime: time };
    this.#knows = releasing(this.#knows);
    this.#lease = await this.#options.client.update(leases, withRecord(this.#lease, record), this.#call);
    this.#saw(readRecord(this.#lease));
    return true;
  }

  async #act(): Promise<void> {
    const step = nextStep(this.#knows, this.#options.timing, this.#options.clock.monotonic());
    if (step !== 'wait' && step !== 'read') await this.#write(step);
  }

  async #read(): Promise<void> {
    const { client, lease } = this.#options;
    try {
      this.#lease = await client.get<Lease>(leases, lease, this.#call);
      this.#saw(readRecord(this.#lease));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#lease = undefined;
      this.#knows = sawNoLease(this.#knows);
    }
  }

  async #write(step: Exclude<ElectionStep, 'read' | 'wait'>): Promise<void> {
    const { client, clock, lease } = this.#options;
    const record = this.#nextRecord(step);
    this.#knows = sending(this.#knows, { renewTime: record.renewTime, sentAt: clock.monotonic() });
    if (step === 'create' || this.#lease === undefined) {
      const fresh: Lease = { apiVersion: apiVersion(leases), kind: leases.kind, metadata: { ...lease } };
      this.#lease = await client.create(leases, withRecord(fresh, record), this.#call);
    } else {
      this.#lease = await client.update(leases, withRecord(this.#lease, record), this.#call);
    }
    this.#saw(record);
  }

  #nextRecord(step: 'create' | 'take' | 'renew'): LeaseRecord {
    const { identity, timing } = this.#options;
    const time = this.#time();
    const before = this.#knows.seen?.record;
    const mine = { holder: identity, durationMs: timing.leaseDurationMs, renewTime: time };
    if (step === 'renew' && before)
      return { ...mine, acquireTime: before.acquireTime, transitions: before.transitions };
    const transitions = step === 'take' && before ? before.transitions + 1 : 0;
    return { ...mine, acquireTime: time, transitions };
  }

  #saw(record: LeaseRecord): void {
    this.#knows = sawRecord(this.#knows, record, this.#options.clock.monotonic());
  }

  #time(): string {
    return microTime(this.#options.clock.now(), this.#writeNumber++);
  }
}
