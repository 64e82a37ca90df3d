import type { ConfigBody } from '../../api/config-body.ts';
import { annotations, labels } from '../../api/names.ts';
import { appliedState, type RolloutSummary } from '../../core/version/applied-version.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { presentVersion, type VersionedConfig } from '../../versions/reads/present.ts';

/**
 * A version as `…/current` shows it. State and resourceVersion are those of the ConfigRollout: a watch can resume from
 * this resourceVersion, and a change of state is a change of the object.
 */
export function presentCurrent(
  version: VersionMetadata,
  body: ConfigBody,
  summary: RolloutSummary,
  { beingCurrent, assigned }: { beingCurrent?: string | undefined; assigned?: string | undefined } = {},
): VersionedConfig {
  const shown = presentVersion(version, body);
  return {
    ...shown,
    metadata: {
      ...shown.metadata,
      resourceVersion: summary.resourceVersion,
      annotations: {
        ...shown.metadata.annotations,
        [labels.state]: appliedState(summary, version.object),
        ...(beingCurrent !== undefined && { [annotations.beingCurrent]: beingCurrent }),
        // Agents apply the configs of one assignment together.
        ...(assigned !== undefined && { [labels.assigned]: assigned }),
      },
    },
  };
}
