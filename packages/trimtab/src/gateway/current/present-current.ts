import type { ConfigBody } from '../../api/config-body.ts';
import { annotations, labels } from '../../api/names.ts';
import { appliedState, type RolloutMarks } from '../../core/version/applied-version.ts';
import type { VersionHead } from '../../core/version/version-head.ts';
import { presentVersion, type VersionedConfig } from '../versions/reads/present.ts';

/**
 * A version as `…/current` shows it. Its state and its resourceVersion are the rollout's: so a watch can go on from
 * there, and a change of state is a change of what is shown.
 */
export function presentCurrent(
  head: VersionHead,
  body: ConfigBody,
  marks: RolloutMarks,
  beingCurrent?: string,
): VersionedConfig {
  const shown = presentVersion(head, body);
  return {
    ...shown,
    metadata: {
      ...shown.metadata,
      resourceVersion: marks.resourceVersion,
      annotations: {
        ...shown.metadata.annotations,
        [labels.state]: appliedState(marks, head.object),
        ...(beingCurrent !== undefined && { [annotations.beingCurrent]: beingCurrent }),
      },
    },
  };
}
