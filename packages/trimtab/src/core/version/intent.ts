import { annotations } from '../../api/names.ts';
import type { ReleaseMode } from '../workload/opt-in.ts';
import { byCreation } from './version-metadata.ts';

export interface KnownVersion {
  name: string;
  object: string;
  contentHash: string;
  sequence: number;
}

/** A live config with the hash of its content. */
export interface LiveConfig {
  hash: string;
  resourceVersion: string;
  /** Annotation `trimtab.dev/version` may name the version of the content. */
  annotations?: Readonly<Record<string, string>>;
}

export interface IntentInput {
  release: ReleaseMode;
  /** Undefined when it was deleted. */
  live: LiveConfig | undefined;
  /** The present value of `spec.version`. */
  specVersion: string | undefined;
  /** The id of the last request for `spec.version`, if it was made through the API. */
  requestId: string | undefined;
  /** These values at the last reconciliation; undefined when the status is empty. */
  observed:
    | {
        liveVersion?: string;
        liveResourceVersion?: string;
        specVersion?: string;
        requestId?: string;
        retry?: string;
      }
    | undefined;
  versions: readonly KnownVersion[];
  current: string | undefined;
  /** The version of the activation in progress. */
  target: string | undefined;
}

export type Intent =
  /** No other version than the current one is requested. */
  | { want: 'stay' }
  | { want: 'version'; version: KnownVersion; because: 'spec' | 'edit'; clearSpecVersion: boolean }
  /** `spec.version` names a version that does not exist. */
  | { want: 'unknown version'; name: string }
  /** The live content has no version yet; the controller is about to create one. */
  | { want: 'wait for version' }
  /** There is no live content to read: the config was deleted, or its label is about to be restored. */
  | { want: 'wait for content' };

/**
 * Returns which version should be current. In release mode Auto, the content of the config and `spec.version` both
 * request a version, and the one that changed since the last reconciliation wins. If both changed, `spec.version`
 * wins: an explicitly named version is more certain than an untested edit.
 */
export function intent(input: IntentInput): Intent {
  const { release, specVersion } = input;
  if (release !== 'Auto') return specVersion === undefined ? { want: 'stay' } : explicit(input, specVersion);
  if (specVersion !== undefined && (isNewRequest(input) || !isEdited(input)))
    return explicit(input, specVersion);
  return byContent(input, specVersion !== undefined);
}

/**
 * Whether the content of the config has changed since the last reconciliation. The status names its version, because a
 * hash would let everyone who may read the status guess the content of a Secret.
 */
function isEdited({ live, observed, versions }: IntentInput): boolean {
  if (live === undefined || observed?.liveVersion === undefined) return false;
  const known = versions.find(({ name }) => name === observed.liveVersion);
  if (known !== undefined) return known.contentHash !== live.hash;
  // The observed content had no version, or its version was deleted.
  return live.resourceVersion !== observed.liveResourceVersion;
}

/** Whether a user has requested a version since the last reconciliation, including the same version again. */
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

/** Whether a user has asked, since the last reconciliation, to try again what was rolled back or aborted. */
export function isRetry({
  retry,
  observed,
}: Pick<IntentInput, 'observed'> & { retry: string | undefined }): boolean {
  return retry !== undefined && retry !== observed?.retry;
}

function explicit({ versions, current }: IntentInput, name: string): Intent {
  const version = versions.find((each) => each.name === name);
  if (version === undefined) return { want: 'unknown version', name };
  if (name === current) return { want: 'stay' };
  return { want: 'version', version, because: 'spec', clearSpecVersion: false };
}

function byContent({ versions, live, current, target }: IntentInput, clearSpecVersion: boolean): Intent {
  if (live === undefined) return { want: 'wait for content' };
  const version = versionWithContent(versions, live, current, target);
  if (version === undefined) return { want: 'wait for version' };
  if (version.name === current && !clearSpecVersion) return { want: 'stay' };
  return { want: 'version', version, because: 'edit', clearSpecVersion };
}

/**
 * Finds the version with the content of the config: an edit back to old content reactivates the old version. Of several,
 * it is the current one, else the one on its way, else the one that the config names, else the first: a version that is
 * added later with the same content is not activated by itself, nor does it have rejected content tried again.
 */
export function versionWithContent(
  versions: readonly KnownVersion[],
  live: Pick<LiveConfig, 'hash' | 'annotations'>,
  current: string | undefined,
  target: string | undefined,
): KnownVersion | undefined {
  const same = versions.filter(({ contentHash }) => contentHash === live.hash);
  const named = (name: string | undefined) => same.find((each) => each.name === name);
  const chosen = live.annotations?.[annotations.version];
  return named(current) ?? named(target) ?? named(chosen) ?? same.sort(byCreation)[0];
}
