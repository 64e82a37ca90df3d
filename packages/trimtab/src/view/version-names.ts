import type { ConfigRollout } from '../api/config-rollout.ts';
import { versionObjectName } from '../core/version/object-names.ts';

/**
 * Maps objects to names of versions, from the ConfigRollout alone: the object's name is derived from the version's name.
 * `listed` adds versions that the rollout does not mention.
 */
export function versionNames(
  { metadata, spec, status }: ConfigRollout,
  listed: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const mentioned = [spec.version, ...(status?.history ?? []).map(({ version }) => version)];
  const derived = mentioned
    .filter((name) => name !== undefined)
    .map((name): [string, string] => [versionObjectName(spec.config.name, metadata.uid ?? '', name), name]);
  const inStatus = [status?.current, status?.target].flatMap((each): [string, string][] =>
    each === undefined ? [] : [[each.object, each.version]],
  );
  return new Map([...derived, ...listed, ...inStatus]);
}
