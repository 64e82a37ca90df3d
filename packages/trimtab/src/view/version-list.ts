import { configRollouts } from '../api/config-rollout.ts';
import { configKey } from '../core/references/config-key.ts';
import type { ConfigKind } from '../core/references/references.ts';
import type { VersionLine } from './list-versions.ts';
import { type KnownPods, podsByObject } from './pod-use.ts';

/** A version with the number of live pods that run it. */
export interface ListedVersion extends VersionLine {
  /** Absent when the caller may not list pods. */
  pods?: number;
}

/** The list of versions that users read, in the order of creation. */
export interface VersionList {
  apiVersion: string;
  kind: 'VersionList';
  metadata: Record<never, never>;
  items: ListedVersion[];
}

export function versionList(
  { kind, name }: { kind: ConfigKind; name: string },
  lines: readonly VersionLine[],
  known: KnownPods | undefined,
): VersionList {
  const objects = new Set(lines.map(({ object }) => object));
  const counts = known && podsByObject(known, configKey(kind, name), objects);
  return {
    apiVersion: `${configRollouts.group}/${configRollouts.version}`,
    kind: 'VersionList',
    metadata: {},
    items: lines.map((line) => ({
      ...line,
      ...(counts && { pods: counts.get(line.object) ?? 0 }),
    })),
  };
}
