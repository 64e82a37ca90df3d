import type { KubeObject } from '../wire.ts';

/** A Lease as it comes from the server: anybody may have written it, so no field is taken for granted. */
export interface Lease extends KubeObject {
  spec?: Record<string, unknown> | null;
}

/** What an election reads in a Lease and writes into it. */
export interface LeaseRecord {
  /** '' when nobody holds it. */
  holder: string;
  /** Undefined when the holder named none that can be used. */
  durationMs: number | undefined;
  acquireTime: string;
  renewTime: string;
  transitions: number;
}

/** Never fails: what is missing or makes no sense is read as not being there. */
export function readRecord(lease: Lease): LeaseRecord {
  const spec = lease.spec ?? {};
  const seconds = positive(spec['leaseDurationSeconds']);
  return {
    holder: text(spec['holderIdentity']),
    durationMs: seconds === undefined ? undefined : seconds * 1000,
    acquireTime: text(spec['acquireTime']),
    renewTime: text(spec['renewTime']),
    transitions: positive(spec['leaseTransitions']) ?? 0,
  };
}

/** The same Lease with another record: labels, resourceVersion and fields that are not ours stay. */
export function withRecord(lease: Lease, record: LeaseRecord): Lease {
  const spec: Record<string, unknown> = {
    ...lease.spec,
    holderIdentity: record.holder,
    acquireTime: record.acquireTime,
    renewTime: record.renewTime,
    leaseTransitions: record.transitions,
  };
  // The API counts whole seconds. Rounded up, a candidate can only wait too long, never too short.
  if (record.durationMs !== undefined) spec['leaseDurationSeconds'] = Math.ceil(record.durationMs / 1000);
  return { ...lease, spec };
}

/**
 * Kubernetes' MicroTime. Our clock counts milliseconds; the last three digits count our writes instead, so that
 * each one changes the record even when the wall clock stands still, and can be told from every other.
 */
export function microTime(wallClockMs: number, writeNumber: number): string {
  const micros = String(writeNumber % 1000).padStart(3, '0');
  return new Date(wallClockMs).toISOString().replace('Z', `${micros}Z`);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}
