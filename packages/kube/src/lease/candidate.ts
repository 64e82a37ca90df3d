import type { KubeClient, ObjectKey } from '../client.ts';
import type { Clock } from '../clock.ts';
import { apiVersion, leases } from '../resource.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../transport/errors.ts';
import {
  type ElectionStep,
  type Knowledge,
  knowingNothing,
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

/** One candidate's dealings with the Lease: what it knows, and the requests that change that. */
export class Candidate {
  readonly #options: CandidateOptions;
  readonly #call: { timeoutMs: number };
  #knows: Knowledge;
  #lease: Lease | undefined;
  #writeNumber = 0;

  constructor(options: CandidateOptions) {
    this.#options = options;
    this.#knows = knowingNothing(options.identity);
    // A third of the deadline: a request that hangs must leave time to look what became of it, and to send another.
    this.#call = { timeoutMs: options.timing.renewDeadlineMs / 3 };
  }

  mayLead(): boolean {
    return mayLead(this.#knows, this.#options.timing, this.#options.clock.monotonic());
  }

  leadsUntil(): number | undefined {
    return leadsUntil(this.#knows, this.#options.timing);
  }

  /** Whether the Lease names us, or a write that nobody answered could have made it so. */
  mightHold(): boolean {
    const { lease, seen, writes } = this.#knows;
    return seen?.mine === true || (lease === 'unread' && writes.length > 0);
  }

  /** Who held the Lease when it was last seen; undefined when nobody did. */
  holder(): string | undefined {
    const holder = this.#knows.seen?.holder;
    return holder === '' ? undefined : holder;
  }

  /** Where a watch that wants to miss nothing since the last look starts. */
  resourceVersion(): string | undefined {
    return this.#lease?.metadata.resourceVersion;
  }

  /**
   * Takes or renews the Lease if it may, and rejects when the server did not answer as it should; what we may do
   * afterwards is for `mayLead` to say. A holder writes without reading, others read first.
   */
  async round(): Promise<void> {
    if (!this.mayLead() || this.#knows.lease === 'unread') await this.#read();
    try {
      await this.#act();
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      // Somebody else was faster, or an earlier write of ours did arrive. The second look tells which.
      await this.#read();
      await this.#act();
    }
  }

  /**
   * Empties the Lease so that another takes it at once. Only for a holder whose work has stopped. Answers
   * whether there was something to give back.
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
