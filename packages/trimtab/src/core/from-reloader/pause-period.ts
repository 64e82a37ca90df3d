import { shortened } from '../messages/quoted.ts';
import type { WorkloadKind } from '../workload/observed.ts';
import type { Parsed } from '../workload/opt-in.ts';
import { reloaderKeys } from './annotations.ts';

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  // The micro sign and the Greek letter.
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** A longer text is not read, so an annotation cannot occupy the controller. */
const maxLength = 64;

/** The longest duration of Go, which has 63 bits of nanoseconds. */
const longestMs = Number(2n ** 63n - 1n) / 1e6;

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
  const value = durationMs(text);
  if (value !== undefined) return { value };
  return {
    problem: `Annotation ${reloaderKeys.pausePeriod} has the value "${shortened(text)}", which is not valid: must be a duration such as "5m" or "1h30m"`,
  };
}

/**
 * Reads a duration as `time.ParseDuration` of Go does, which Reloader uses; undefined for any other text. A negative
 * duration is refused: Reloader would resume the Deployment at once.
 */
function durationMs(text: string): number | undefined {
  if (text.length > maxLength) return undefined;
  const unsigned = text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return 0;
  const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
  let sum = 0;
  do {
    const [, count, unit = ''] = part.exec(unsigned) ?? [];
    if (count === undefined) return undefined;
    sum += Number(count) * (unitMs[unit] ?? 0);
  } while (part.lastIndex < unsigned.length);
  return sum <= longestMs ? sum : undefined;
}
