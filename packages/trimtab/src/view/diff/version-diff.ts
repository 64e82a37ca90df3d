import type { ConfigBody } from '../../api/config-body.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { type ConfigDiff, configDiff } from './config-diff.ts';
import { jsonDiff } from './render-diff.ts';

/** One side of a comparison: the name of a version, or `live`, with the content. */
export interface DiffSide {
  version: string;
  body: ConfigBody;
}

/** Compares two versions of a config. Values of Secrets are masked unless `showSecrets` is set. */
export function versionDiff(
  config: { kind: ConfigKind; name: string },
  from: DiffSide,
  to: DiffSide,
  showSecrets: boolean,
): { diff: ConfigDiff; isEqual: boolean; object: object } {
  const { kind, name } = config;
  // The kind decides whether values are masked, so it comes from the request and not from the response.
  const diff = configDiff({ ...from.body, kind }, { ...to.body, kind }, showSecrets);
  return {
    diff,
    isEqual: diff.added.length + diff.removed.length + diff.changed.length === 0,
    object: {
      apiVersion: `${configRollouts.group}/${configRollouts.version}`,
      kind: 'VersionDiff',
      config: { kind, name },
      from: from.version,
      to: to.version,
      masked: kind === 'Secret' && !showSecrets,
      ...jsonDiff(diff),
    },
  };
}
