import type { ConfigKey } from '../references/config-key.ts';

/** Versions that failed together: config → version name. Recorded on each version of the set. */
export type RejectedSet = ReadonlyMap<ConfigKey, string>;

/** The annotation `trimtab.dev/rejected` of a version. */
export interface Rejection {
  reason: string;
  sets: readonly RejectedSet[];
  /** A user aborted the activation, or users took all workloads out of it; the version itself did not fail. */
  aborted?: true;
  /** The activation in which the version failed last. */
  activation?: string;
  /** Why its pods failed last, as a reason of the registry. */
  cause?: string;
}

/** Whether exactly these versions were tried together before and failed. */
export function wasTried(rejections: readonly RejectedSet[], set: RejectedSet): boolean {
  return rejections.some(
    (tried) => tried.size === set.size && [...set].every(([config, name]) => tried.get(config) === name),
  );
}

const maxSets = 10;

/**
 * Adds a set to the rejection of a version. The oldest of many sets is forgotten, but not that the version failed alone:
 * it would be tried again whenever a neighbour becomes current.
 */
export function withRejectedSet(
  before: Rejection | undefined,
  set: RejectedSet,
  now: Omit<Rejection, 'sets'>,
): Rejection {
  const others = (before?.sets ?? []).filter((each) => !wasTried([each], set));
  const sets = [...others, set];
  const oldest = sets.find(({ size }) => size > 1) ?? sets[0];
  return { ...now, sets: sets.length > maxSets ? sets.filter((each) => each !== oldest) : sets };
}

export function formatRejection({ reason, sets, aborted, activation, cause }: Rejection): string {
  return JSON.stringify({
    reason,
    ...(aborted && { aborted }),
    ...(activation !== undefined && { activation }),
    ...(cause !== undefined && { cause }),
    sets: sets.map((set) => Object.fromEntries([...set].sort(([a], [b]) => (a < b ? -1 : 1)))),
  });
}

/** Returns undefined for text that is not a valid rejection; such an annotation rejects nothing. */
export function parseRejection(text: string | undefined): Rejection | undefined {
  if (text === undefined) return undefined;
  try {
    const { reason, sets, aborted, activation, cause } = JSON.parse(text);
    if (typeof reason !== 'string' || !Array.isArray(sets)) return undefined;
    return {
      reason,
      sets: sets.map((set) => new Map(Object.entries(set)) as RejectedSet),
      ...(aborted === true && { aborted }),
      ...(typeof activation === 'string' && { activation }),
      ...(typeof cause === 'string' && { cause }),
    };
  } catch {
    return undefined;
  }
}
