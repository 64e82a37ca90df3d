import { createHash } from 'node:crypto';

/** The fields that count as content of a config. Metadata does not count. */
export interface ConfigContent {
  /** Only Secrets have a type. */
  type?: string | undefined;
  data?: Record<string, string> | undefined;
  binaryData?: Record<string, string> | undefined;
}

/**
 * SHA-256 of an unambiguous canonical form: keys are sorted, and an empty map equals a missing one. The hash is
 * always computed from the body, because an annotation with a hash can be edited.
 */
export function contentHash(content: ConfigContent): string {
  const canonical = JSON.stringify([content.type ?? '', entries(content.data), entries(content.binaryData)]);
  return createHash('sha256').update(canonical).digest('hex');
}

function entries(map: Record<string, string> | undefined): [string, string][] {
  // Sorted by code unit, not by locale, so the order is the same on every machine.
  return Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
