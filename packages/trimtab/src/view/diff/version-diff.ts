import type { ConfigBody } from '../../api/config-body.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { configDiff } from './config-diff.ts';
import { jsonDiff, renderDiff } from './render-diff.ts';

/** One side of a comparison: the name of a version, or `live`, with the content. */
export interface DiffSide {
  version: string;
  body: ConfigBody;
}

/** Compares two versions of a config, as text and as an object. Values of Secrets are masked unless `showSecrets` is set. */
export function versionDiff(
  config: { kind: ConfigKind; name: string },
  from: DiffSide,
  to: DiffSide,
  showSecrets: boolean,
): { isEqual: boolean; text(): string; object(): object } {
  const { kind, name } = config;
  // The kind decides whether values are masked, so it comes from the request and not from the response.
  const diff = configDiff({ ...from.body, kind }, { ...to.body, kind }, showSecrets);
  return {
    isEqual: diff.differing === 0,
    text: () => renderDiff(diff, { from: `${name}/${from.version}`, to: `${name}/${to.version}` }),
    object: () => ({
      apiVersion: `${configRollouts.group}/${configRollouts.version}`,
      kind: 'VersionDiff',
      config: { kind, name },
      from: from.version,
      to: to.version,
      masked: kind === 'Secret' && !showSecrets,
      ...jsonDiff(diff),
    }),
  };
}
