import type { SourceState } from '../files/file-set.ts';
import type { Acknowledgement } from '../source/gateway-client.ts';

/** What the pod does with the version of one config. */
export type VersionResult = Omit<Acknowledgement, 'sequence'>;

const maxReasonBytes = 1_024;

/** The results of a set that the application runs with. Undefined for a config without a version. */
export function acceptedResults(sources: readonly SourceState[]): (VersionResult | undefined)[] {
  return sources.map(({ object, version }) =>
    object === undefined || version === undefined ? undefined : { object, version, result: 'Acknowledged' },
  );
}

/**
 * The results of a set that was refused. The application runs with the last good set, so a config with the same version in
 * both is acknowledged.
 */
export function refusedResults(
  sources: readonly SourceState[],
  good: readonly SourceState[],
  reason: string,
): (VersionResult | undefined)[] {
  return acceptedResults(sources).map((result, index) => {
    const isGood = sources[index]?.object === good[index]?.object;
    if (result === undefined || isGood) return result;
    return { ...result, result: 'Refused', reason: shortened(reason) };
  });
}

/** At most 1 KiB of UTF-8; a character that the limit would cut is left out. */
function shortened(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxReasonBytes) return text;
  let end = maxReasonBytes - 3;
  // Bytes of the form 10xxxxxx continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}
