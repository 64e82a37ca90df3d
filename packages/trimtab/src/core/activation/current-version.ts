import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { byCreation, type VersionMetadata } from '../version/version-metadata.ts';
import type { CandidateVersion } from './rollout-state.ts';

/** The fields of a status that name versions. */
export interface StatusSummary {
  phase?: ConfigRolloutStatus['phase'];
  current?: { object: string };
  target?: { object: string };
}

type Marked = Pick<CandidateVersion, 'object' | 'sequence' | 'labelledCurrent' | 'currentCount'>;

interface Found<T> {
  version: T | undefined;
  /** Status and versions contradict each other: one of them is stale or was edited. */
  contradicted: boolean;
}

/**
 * Returns the current version. The label on a version is authoritative and the status is a summary: if they
 * contradict each other, the status was edited and the label wins. There is one exception. An activation that ends
 * labels its target before it writes the status; if the controller is killed in between, the status wins: the
 * activation is still in progress and bakes again.
 */
export function currentVersion<T extends Marked>(
  versions: readonly T[],
  status: StatusSummary | undefined,
): Found<T> {
  const labelled = versions.filter(({ labelledCurrent }) => labelledCurrent);
  const said = versions.find(({ object }) => object === status?.current?.object);
  // The status names a version that is not in the cache: it was edited, or the cache has not caught up.
  if (said === undefined)
    return { version: rediscoverCurrent(versions), contradicted: status?.current !== undefined };
  const agrees = labelled.length === 0 || labelled.includes(said);
  // During a rollback the target is labelled rejected, never current.
  const isBack = status?.phase === 'RollingBack' || status?.phase === 'RollbackFailed';
  const isEnding = !isBack && labelled.some(({ object }) => object === status?.target?.object);
  if (agrees || isEnding) return { version: said, contradicted: false };
  return { version: rediscoverCurrent(versions), contradicted: true };
}

/** Like `currentVersion`, for callers that only read. */
export function findCurrentVersion(
  versions: readonly VersionMetadata[],
  status: StatusSummary | undefined,
): VersionMetadata | undefined {
  const marked = versions.map((version) => ({
    ...{ version, object: version.object, sequence: version.sequence },
    labelledCurrent: version.state === 'current',
    currentCount: version.currentCount,
  }));
  return currentVersion(marked, status).version?.version;
}

/**
 * The labelled version; if a crash left two, the one that was labelled last. Without a label the first version, which
 * is created as current.
 */
function rediscoverCurrent<T extends Marked>(versions: readonly T[]): T | undefined {
  const inOrder = [...versions].sort((a, b) => a.currentCount - b.currentCount || byCreation(a, b));
  const labelled = inOrder.findLast(({ labelledCurrent }) => labelledCurrent);
  return labelled ?? [...versions].sort(byCreation)[0];
}
