import type { ConfigRollout } from '../../api/config-rollout.ts';
import { rolloutName } from '../../core/version/object-names.ts';

/** What is wrong with the name of a rollout, for its author. */
export function wrongName({ metadata, spec }: ConfigRollout): string | undefined {
  const { kind, name } = spec.config;
  const right = rolloutName(kind, name);
  if (metadata.name === right) return undefined;
  return `the ConfigRollout of ${kind} ${name} has to be named ${right}; delete this one`;
}
