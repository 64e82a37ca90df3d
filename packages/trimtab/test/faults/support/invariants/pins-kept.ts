import { annotations } from '../../../../src/api/names.ts';
import { assignedObjects } from '../../../../src/core/references/assigned-versions.ts';
import { isWorkload, referencesOf } from '../world.ts';
import type { Checker } from './checker.ts';

/** A pinned workload is never moved to a version that its pin does not name. */
export function pinsKept(): Checker {
  return {
    step({ entry, before, world }) {
      const pin = entry.object.metadata.annotations?.[annotations.pin];
      if (!isWorkload(entry.kind) || entry.gone || before === undefined || pin === undefined) return [];
      if (before.metadata.annotations?.[annotations.pin] !== pin) return [];
      const kept = new Set([
        ...assignedObjects(pin).map(({ kind, name }) => `${kind}/${name}`),
        ...referencesOf(before),
      ]);
      return referencesOf(entry.object)
        .filter((key) => !kept.has(key) && world.version(key) !== undefined)
        .map((key) => `${entry.key} is pinned, and was moved to ${world.version(key)?.name}`);
    },
  };
}
