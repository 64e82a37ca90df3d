import { shortened } from '../messages/quoted.ts';
import type { WorkloadKind } from '../workload/observed.ts';
import type { Parsed } from '../workload/opt-in.ts';
import { reloaderKeys } from './annotations.ts';

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Reads the time that has to pass between two activations that update a Deployment, in milliseconds; 0 without the
 * annotation. Reloader does not read it on other workloads, nor on pod templates.
 */
export function parsePausePeriod({
  kind,
  annotations,
}: {
  kind: WorkloadKind;
  annotations: Readonly<Record<string, string>>;
}): Parsed<number> {
  const text = annotations[reloaderKeys.pausePeriod]?.trim();
  if (text === undefined || kind !== 'Deployment') return { value: 0 };
  const parts = [...text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g)];
  const isWhole = parts.map(([part]) => part).join('') === text && parts.length > 0;
  if (!isWhole)
    return {
      problem: `Annotation ${reloaderKeys.pausePeriod} has the value "${shortened(text)}", which is not valid: must be a duration such as "5m" or "1h30m"`,
    };
  return {
    value: parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0), 0),
  };
}
