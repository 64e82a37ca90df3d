import type { ReleaseMode } from '../workload/opt-in.ts';

export interface KnownVersion {
  name: string;
  contentHash: string;
  sequence: number;
}

export interface IntentInput {
  release: ReleaseMode;
  /** Of the live config; undefined when it was deleted. */
  liveHash: string | undefined;
  /** What `spec.version` says now. */
  specVersion: string | undefined;
  /** The id of the last time a person asked for it, if they did so through the API. */
  requestId: string | undefined;
  /** What these were at the last look; undefined when the status is empty. */
  observed: { liveHash?: string; specVersion?: string; requestId?: string } | undefined;
  versions: readonly KnownVersion[];
  current: string | undefined;
}

export type Intent =
  /** Nothing asks for another version than the current one. */
  | { want: 'stay' }
  | { want: 'version'; version: KnownVersion; because: 'spec' | 'edit'; clearSpecVersion: boolean }
  /** `spec.version` names a version that does not exist. */
  | { want: 'unknown version'; name: string }
  /** The live content has no version yet; there will be one in a moment. */
  | { want: 'wait for version' };

/**
 * Which version should be current. In Auto there are two wishes, the content of the config and `spec.version`,
 * and whichever changed since the last look is the newer one. When both did, the explicit one is taken: a
 * person who names a version is more certain of it than an edit that nobody has tried.
 */
export function intent(input: IntentInput): Intent {
  const { release, specVersion, liveHash, observed } = input;
  if (release !== 'Auto') return specVersion === undefined ? { want: 'stay' } : explicit(input, specVersion);
  const edited = observed?.liveHash !== undefined && liveHash !== undefined && liveHash !== observed.liveHash;
  if (specVersion !== undefined && (isNewRequest(input) || !edited)) return explicit(input, specVersion);
  return byContent(input, specVersion !== undefined);
}

/** Whether a person has named a version since the last look, be it the same one once more. */
export function isNewRequest({
  specVersion,
  requestId,
  observed,
}: Pick<IntentInput, 'specVersion' | 'requestId' | 'observed'>): boolean {
  if (specVersion === undefined) return false;
  return (
    specVersion !== observed?.specVersion || (requestId !== undefined && requestId !== observed?.requestId)
  );
}

function explicit({ versions, current }: IntentInput, name: string): Intent {
  const version = versions.find((each) => each.name === name);
  if (version === undefined) return { want: 'unknown version', name };
  if (name === current) return { want: 'stay' };
  return { want: 'version', version, because: 'spec', clearSpecVersion: false };
}

/** The version whose content is the config's: an edit back to old content brings the old version back. */
function byContent({ versions, liveHash, current }: IntentInput, clearSpecVersion: boolean): Intent {
  if (liveHash === undefined) return { want: 'stay' };
  const same = versions.filter((version) => version.contentHash === liveHash);
  const newest = same.sort((a, b) => b.sequence - a.sequence)[0];
  if (newest === undefined) return { want: 'wait for version' };
  const version = same.find((each) => each.name === current) ?? newest;
  if (version.name === current && !clearSpecVersion) return { want: 'stay' };
  return { want: 'version', version, because: 'edit', clearSpecVersion };
}
