import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { VersionMetadata } from '../version/version-metadata.ts';
import type { CandidateVersion } from './rollout-state.ts';

/** What a status says of versions. */
export interface StatusSummary {
  phase?: ConfigRolloutStatus['phase'];
  current?: { object: string };
  target?: { object: string };
}

type Marked = Pick<CandidateVersion, 'object' | 'sequence' | 'labelledCurrent'>;

interface Found<T> {
  version: T | undefined;
  /** Status and versions contradict each other: one of them is old, or was edited. */
  contradicted: boolean;
}

/**
 * Which version is current. The label on the version is the fact, and the status its summary: where they
 * contradict each other, somebody has edited the status. It is heard in one case only. An activation that has
 * ended marks its target before it writes the status; killed in between, it is still under way, and bakes anew.
 */
export function currentVersion<T extends Marked>(
  versions: readonly T[],
  status: StatusSummary | undefined,
): Found<T> {
  const labelled = versions.filter(({ labelledCurrent }) => labelledCurrent);
  const said = versions.find(({ object }) => object === status?.current?.object);
  // A status that names what we do not see is a lie too, or the news of a version that is on its way here.
  if (said === undefined)
    return { version: rediscoverCurrent(versions), contradicted: status?.current !== undefined };
  const agrees = labelled.length === 0 || labelled.includes(said);
  // On the way back it is marked as rejected, and never as current.
  const isBack = status?.phase === 'RollingBack' || status?.phase === 'RollbackFailed';
  const isEnding = !isBack && labelled.some(({ object }) => object === status?.target?.object);
  if (agrees || isEnding) return { version: said, contradicted: false };
  return { version: rediscoverCurrent(versions), contradicted: true };
}

/** The same for those who only read. */
export function findCurrentVersion(
  versions: readonly VersionMetadata[],
  status: StatusSummary | undefined,
): VersionMetadata | undefined {
  const marked = versions.map((version) => ({
    ...{ version, object: version.object, sequence: version.sequence },
    labelledCurrent: version.state === 'current',
  }));
  return currentVersion(marked, status).version?.version;
}

/** The one that is labelled, the newest when a crash left two; otherwise the first, which is always current. */
function rediscoverCurrent<T extends Marked>(versions: readonly T[]): T | undefined {
  const bySequence = [...versions].sort((a, b) => a.sequence - b.sequence);
  return bySequence.findLast(({ labelledCurrent }) => labelledCurrent) ?? bySequence[0];
}
