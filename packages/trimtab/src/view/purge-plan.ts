import type { ConfigBody } from '../api/config-body.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { reservedVersionName } from '../api/names.ts';
import { findCurrentVersion } from '../core/activation/current-version.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { valuesOf } from '../core/version/config-values.ts';
import { contentHash } from '../core/version/content-hash.ts';
import { lastApplied } from '../core/version/last-applied.ts';
import { runningReason } from '../core/version/running-reason.ts';
import type { VersionMetadata } from '../core/version/version-metadata.ts';
import { keepReason } from '../core/version/version-state.ts';
import type { VersionUsers } from '../core/version/version-users.ts';

/** A version with its content. */
interface VersionContent {
  version: VersionMetadata;
  body: ConfigBody;
}

export interface PurgeInput {
  /** The key whose value leaked. */
  key: string;
  /** The version with the leaked value. Defaults to all values of the key but that of the current version. */
  version: string | undefined;
  address: ConfigAddress;
  /** Undefined when the config is no longer managed; `versions` are then those that its ConfigRollout left behind. */
  rollout: ConfigRollout | undefined;
  versions: readonly VersionContent[];
  /** Versions that an earlier ConfigRollout created, and void ones. They cannot be deleted through the API. */
  strays: readonly VersionContent[];
  live: ConfigBody | undefined;
  /** Undefined when the caller may not list all kinds of users. */
  usersOf: ((version: VersionMetadata) => VersionUsers) | undefined;
}

/** A version that holds a leaked value, under these keys. Never has the value itself. */
export interface Holder {
  version: string;
  object: string;
  keys: string[];
  /** Why the version cannot be deleted now. */
  obstacle?: Obstacle;
}

export type Obstacle =
  | { reason: 'Current' | 'BeingCurrent' | 'Wanted' | 'Live' | 'MarkedInUse' | 'UnknownUsers' }
  | { reason: 'Running'; message: string }
  | { reason: 'Revisions'; users: string[] };

export interface PurgePlan {
  holders: Holder[];
  /** Objects of versions that an earlier ConfigRollout created, and that hold a leaked value. */
  strays: string[];
  /** Keys of the live config that hold a leaked value. */
  liveKeys: string[];
  /** The annotation in which `kubectl apply` keeps a copy of the live config holds a leaked value. */
  isInLastApplied: boolean;
}

/** Why there is nothing to search for. */
export type PurgeProblem = 'no such version' | 'no such key' | 'only the current value';

/** Decides which versions hold a leaked value, and which of them can be deleted. */
export function planPurge(input: PurgeInput): PurgePlan | { problem: PurgeProblem } {
  const { rollout, versions, live } = input;
  const leaked = leakedValues(input);
  if ('problem' in leaked) return leaked;
  const keysIn = (body: ConfigBody) =>
    [...valuesOf(body)].filter(([, value]) => leaked.values.has(value)).map(([key]) => key);
  const all = versions.map(({ version }) => version);
  const liveHash = live === undefined ? undefined : contentHash(live);
  const holders = versions.flatMap(({ version, body }): Holder[] => {
    const keys = keysIn(body);
    if (keys.length === 0) return [];
    const keep =
      rollout === undefined ? version.inUse && 'InUse' : keepReason(rollout, all, version, liveHash)?.reason;
    const obstacle = obstacleOf(keep || undefined, version, input);
    return [{ version: version.name, object: version.object, keys, ...(obstacle && { obstacle }) }];
  });
  return {
    holders,
    strays: input.strays.filter(({ body }) => keysIn(body).length > 0).map(({ version }) => version.object),
    liveKeys: live === undefined ? [] : keysIn(live),
    isInLastApplied: live !== undefined && lastApplied(live).some((body) => keysIn(body).length > 0),
  };
}

function leakedValues({
  key,
  version: asked,
  rollout,
  versions,
  strays,
  live,
}: PurgeInput): { values: Set<string> } | { problem: PurgeProblem } {
  const all = versions.map(({ version }) => version);
  const current = rollout && findCurrentVersion(all, rollout.status);
  const wanted = asked === reservedVersionName ? current?.name : asked;
  if (asked !== undefined && !all.some(({ name }) => name === wanted)) return { problem: 'no such version' };
  const withKey = [...versions, ...(asked === undefined ? strays : [])].flatMap(({ version, body }) => {
    const value = valuesOf(body).get(key);
    return value === undefined || value === '' ? [] : [{ version, value }];
  });
  // Without management, the content of the config is current.
  const inCurrent =
    rollout === undefined
      ? live && valuesOf(live).get(key)
      : withKey.find(({ version }) => version.object === current?.object)?.value;
  const chosen = withKey.filter(({ version, value }) =>
    wanted === undefined ? value !== inCurrent : version.name === wanted,
  );
  if (chosen.length > 0) return { values: new Set(chosen.map(({ value }) => value)) };
  return { problem: asked === undefined && withKey.length > 0 ? 'only the current value' : 'no such key' };
}

/** What runs a version matters more than revisions, which only remember it. */
function obstacleOf(
  keep: string | undefined,
  version: VersionMetadata,
  { usersOf, address }: Pick<PurgeInput, 'usersOf' | 'address'>,
): Obstacle | undefined {
  if (keep === 'Current' || keep === 'BeingCurrent' || keep === 'Wanted') return { reason: keep };
  const users = usersOf?.(version);
  const running = users && runningReason(users, address, 'then run this command again');
  if (running !== undefined) return { reason: 'Running', message: running.message };
  if (users !== undefined && users.revisions.length > 0)
    return { reason: 'Revisions', users: users.revisions };
  if (keep === 'InUse') return { reason: usersOf === undefined ? 'UnknownUsers' : 'MarkedInUse' };
  return keep === 'Live' ? { reason: 'Live' } : undefined;
}
