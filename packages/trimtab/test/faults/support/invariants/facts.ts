import type { World } from '../world.ts';
import type { Checker } from './checker.ts';

/** A config with versions always has a current version. At the end it has exactly one, and the status names it. */
export function facts(): Checker {
  return {
    step({ entry, world }) {
      if (entry.kind !== 'ConfigMap' && entry.kind !== 'Secret') return [];
      return counts(world).flatMap(({ rollout, current }) =>
        current.length === 0 ? [`no version of ${rollout} is marked current (${entry.key} changed)`] : [],
      );
    },
    end(world) {
      return counts(world).flatMap(({ rollout, current }) => {
        const told = world.rollouts().find(({ metadata }) => metadata.name === rollout)?.status?.current;
        const marked = current.map(({ name }) => name).join(', ');
        return current.length === 1 &&
          told?.version === marked &&
          `${current[0]?.key}`.endsWith(`/${told.object}`)
          ? []
          : [
              `at the end ${rollout} has ${marked || 'nothing'} marked current, its status says ${told?.version}`,
            ];
      });
    },
  };
}

function counts(world: World) {
  return world.rollouts().flatMap(({ metadata }) => {
    const rollout = metadata.name ?? '';
    const versions = world.versions(rollout);
    const current = versions.filter(({ state }) => state === 'current');
    return versions.length === 0 ? [] : [{ rollout, current }];
  });
}
