import type { Config, Version, World } from '../world.ts';
import { realHash } from '../world.ts';
import type { Checker, Step } from './checker.ts';

/**
 * No version is lost, duplicated or orphaned: each name, sequence number and content exists once, the version is
 * owned by its rollout, its content matches its hash, and the content never changes.
 */
export function versionsKept(): Checker {
  const names = new Map<string, string>();
  const numbers = new Map<string, string>();

  const made = (version: Version, world: World): string[] => {
    const { rollout, name, sequence, key, hash } = version;
    const twins = world.versions(rollout).filter((other) => other.key !== key && other.hash === hash);
    const found = [
      ...once(names, `${rollout} ${name}`, key, 'name'),
      ...once(numbers, `${rollout} ${sequence}`, key, 'number'),
      ...twins.map((twin) => `${key} has the same content as ${twin.key}`),
    ];
    if (realHash(version) !== hash) found.push(`${key} does not hold what its hash says`);
    return found;
  };

  return {
    step({ entry, before, world }: Step) {
      const version = world.version(entry.key);
      if (entry.gone || version === undefined) return [];
      const found = before === undefined ? made(version, world) : [];
      const old = before as Config | undefined;
      if (old !== undefined && contentOf(old) !== contentOf(version.object))
        found.push(`the content of ${entry.key} was changed`);
      const owners = version.object.metadata.ownerReferences ?? [];
      if (!owners.some(({ kind, name }) => kind === 'ConfigRollout' && name === version.rollout))
        found.push(`${entry.key} does not belong to its rollout`);
      return found;
    },
  };
}

function once(seen: Map<string, string>, what: string, key: string, label: string): string[] {
  const first = seen.get(what);
  seen.set(what, first ?? key);
  return first === undefined ? [] : [`the ${label} of ${key} was used before, by ${first}`];
}

function contentOf({ data, binaryData }: Config): string {
  return JSON.stringify([data, binaryData]);
}
