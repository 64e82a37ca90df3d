import type { ConfigKey } from '../references/config-key.ts';
import type { AssignmentRecord } from './types.ts';

/** Formats the annotation `trimtab.dev/assignment` of a workload. */
export function formatAssignmentRecord({ previous, ...record }: AssignmentRecord): string {
  return JSON.stringify({
    ...record,
    previous: Object.fromEntries([...previous].sort(([a], [b]) => (a < b ? -1 : 1))),
  });
}

/** Returns undefined when the annotation is missing or damaged; a rollback then restores the current versions. */
export function parseAssignmentRecord(text: string | undefined): AssignmentRecord | undefined {
  if (text === undefined) return undefined;
  try {
    const { activation, previous, previousLabel, failingBefore, noPods, joined, healthyTemplate } =
      JSON.parse(text);
    if (typeof activation !== 'string' || typeof previous !== 'object' || previous === null) return undefined;
    return {
      activation,
      previous: new Map(
        Object.entries(previous).filter(
          (entry): entry is [ConfigKey, string] => typeof entry[1] === 'string',
        ),
      ),
      previousLabel: typeof previousLabel === 'string' ? previousLabel : undefined,
      ...(Array.isArray(failingBefore) && { failingBefore: failingBefore.map(String) }),
      ...(noPods === true && { noPods }),
      ...(joined === true && { joined }),
      healthyTemplate: typeof healthyTemplate === 'string' ? healthyTemplate : undefined,
    };
  } catch {
    return undefined;
  }
}
