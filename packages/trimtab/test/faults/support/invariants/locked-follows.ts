import { contentHash } from '../../../../src/core/version/content-hash.ts';
import { rolloutName } from '../../../../src/core/version/object-names.ts';
import type { Config } from '../world.ts';
import type { Checker } from './checker.ts';

/**
 * A Locked config gets only content that was current, and the content that it had is a version: nothing is lost. At rest
 * it has the content of its current version. Users edit no Locked config in these runs.
 */
export function lockedFollows(): Checker {
  /** Rollout → the content hashes of all versions that were current. */
  const known = new Map<string, Set<string>>();

  return {
    step({ entry, before, world }) {
      for (const rollout of world.rollouts()) {
        const { name = '' } = rollout.metadata;
        const object = rollout.status?.current?.object;
        const current = world.versions(name).find(({ key }) => key.endsWith(`/${object}`));
        if (current !== undefined) known.set(name, (known.get(name) ?? new Set()).add(current.hash));
      }
      const name = rolloutName(
        entry.kind === 'Secret' ? 'Secret' : 'ConfigMap',
        entry.key.split('/')[1] ?? '',
      );
      const rollout = world.rollouts().find(({ metadata }) => metadata.name === name);
      if (!isConfig(entry.kind) || rollout?.spec.release !== 'Locked' || entry.gone || before === undefined)
        return [];
      const [old, now] = [hashOf(before), hashOf(entry.object)];
      if (old === now) return [];
      const found: string[] = [];
      if (!known.get(name)?.has(now))
        found.push(`${entry.key} is Locked and got content that never was current`);
      if (!world.versions(name).some(({ hash }) => hash === old))
        found.push(`${entry.key} is Locked and lost content that is not a version`);
      return found;
    },
    end(world) {
      return world.rollouts().flatMap((rollout) => {
        const { spec, status, metadata } = rollout;
        const current = world.versions(metadata.name).find(({ name }) => name === status?.current?.version);
        if (spec.release !== 'Locked' || current === undefined || status?.target !== undefined) return [];
        return world.liveHash(rollout) === current.hash
          ? []
          : [`at the end ${metadata.name} is Locked, and its config does not hold ${current.name}`];
      });
    },
  };
}

function isConfig(kind: string): boolean {
  return kind === 'ConfigMap' || kind === 'Secret';
}

function hashOf(object: Config): string {
  return contentHash({ data: object.data, binaryData: object.binaryData, type: object.type });
}
