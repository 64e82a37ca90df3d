import type { ConfigRollout } from '../../api/config-rollout.ts';
import { rolloutName } from '../../core/version/object-names.ts';

/** Returns the problem with the name of a rollout, for a condition; undefined when the name is correct. */
export function wrongName({ metadata, spec }: ConfigRollout): string | undefined {
  const { kind, name } = spec.config;
  const right = rolloutName(kind, name);
  if (metadata.name === right) return undefined;
  return `The ConfigRollout of ${kind} ${name} must be named ${right}; delete this one`;
}
