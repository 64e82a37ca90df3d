import type { KubeObject } from '../wire.ts';

/** A Lease as read from the server. Any client may have written it, so every field is validated before use. */
export interface Lease extends KubeObject {
  spec?: Record<string, unknown> | null;
}

/** The fields of a Lease that the election uses. */
export interface LeaseRecord {
  /** '' when the Lease has no holder. */
  holder: string;
  /** Undefined when leaseDurationSeconds is missing or invalid. */
  durationMs: number | undefined;
  acquireTime: string;
  renewTime: string;
  transitions: number;
}

/** Never throws: invalid fields are treated as missing. */
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

/** Returns the Lease with another record. Keeps its labels, resourceVersion and unknown fields. */
export function withRecord(lease: Lease, record: LeaseRecord): Lease {
  const spec: Record<string, unknown> = {
    ...lease.spec,
    holderIdentity: record.holder,
    acquireTime: record.acquireTime,
    renewTime: record.renewTime,
    leaseTransitions: record.transitions,
  };
  // The API accepts whole seconds only. Rounding up makes other candidates wait longer, never shorter.
  if (record.durationMs !== undefined) spec['leaseDurationSeconds'] = Math.ceil(record.durationMs / 1000);
  return { ...lease, spec };
}

/**
 * Formats a Kubernetes MicroTime. The clock has a resolution of milliseconds, so the last three digits hold the
 * number of the write. Each write then has a unique time, even when the wall clock stands still.
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
