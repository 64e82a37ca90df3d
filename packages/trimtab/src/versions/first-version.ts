import type { ConfigBody } from '../api/config-body.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { contentHash } from '../core/version/content-hash.ts';
import { knownLedger, ledgerOf, rebuildLedger } from '../core/version/ledger.ts';
import { versionObject } from '../core/version/version-object.ts';
import { planVersion, typeProblem, type VersionProblem } from '../core/version/version-plan.ts';
import { parseRelease, type ReleaseMode } from '../core/workload/opt-in.ts';
import { createVersion } from './create-version.ts';
import { createRollout, newRollout } from './new-rollout.ts';
import { type FoundVersion, listConfigVersions, readRollout } from './read-config.ts';
import type { VersionWriter } from './version-writer.ts';
import { writeLedger } from './write-ledger.ts';

/** Reconcilers and other replicas may create the same version: each of their writes can cause one repetition. */
const maxAttempts = 10;

export interface FirstVersionOptions {
  createdBy: string;
  madeByHand?: boolean;
  /** Only the controller may create a version as current. */
  state: 'current' | 'not-current';
  /** The name that the version should have; undefined for 1.0.0. */
  chosenName: string | undefined;
  /** Release mode of a new rollout. Defaults to that of the live config's annotation. */
  release?: ReleaseMode | undefined;
  /** Release mode of a new rollout whose config has no annotation. Defaults to Auto. */
  usualRelease?: ReleaseMode;
}

export type FirstVersion =
  /** The rollout, and all version objects of the config; at least one exists, or existed. */
  | { rollout: ConfigRollout; existing: FoundVersion[] }
  /** Why the content cannot become a version. */
  | { problem: VersionProblem }
  /** Too many others write at the same time. */
  | { result: 'busy' };

/**
 * Ensures that a config has a rollout and that its content is a version, if it never had one. Without this first
 * version, the next one would be the first and so become current. After an interruption, the next call goes on.
 */
export async function ensureFirstVersion(
  writer: VersionWriter,
  address: ConfigAddress,
  live: ConfigBody,
  options: FirstVersionOptions,
): Promise<FirstVersion> {
  const { client, signal } = writer;
  // A ConfigRollout would have no purpose, and would stay.
  const refused = typeProblem(live.type);
  if (refused !== undefined) return { problem: refused };
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const [known, existing] = await Promise.all([
      readRollout(client, address, signal),
      listConfigVersions(client, address, signal),
    ]);
    const rollout = known ?? (await createRollout(writer, rolloutFor(address, live, existing, options)));
    const ready = rollout && (await withLedger(writer, rollout, existing));
    if (ready === undefined) continue;
    const ledger = knownLedger(ready);
    if (existing.length > 0 || ledger.sequence > 0) return { rollout: ready, existing };
    const plan = planVersion({
      liveHash: contentHash(live),
      type: live.type,
      chosenName: options.chosenName,
      versions: [],
      existing: [],
      ledger,
      isOccupied: () => false,
    });
    if (plan.make === 'nothing')
      return plan.problem ? { problem: plan.problem } : { rollout: ready, existing };
    const { createdBy, state, madeByHand = false } = options;
    const version = { ...plan, contentHash: contentHash(live), createdBy, state, madeByHand };
    // The next round reads what was created here or by others.
    await createVersion(writer, ready, versionObject(ready, live, version));
  }
  return { result: 'busy' };
}

/** The rollout for a live config. `release` overrides the config's annotation, which overrides `usualRelease`. */
export function rolloutFor(
  address: ConfigAddress,
  live: ConfigBody,
  existing: readonly FoundVersion[],
  { release, usualRelease }: Pick<FirstVersionOptions, 'release' | 'usualRelease'> = {},
): ConfigRollout {
  const annotated = parseRelease(live.metadata.annotations);
  return newRollout(address, {
    release: release ?? ('value' in annotated ? annotated.value : undefined) ?? usualRelease,
    existing: existing.map(({ version }) => version),
  });
}

/** No version is created under a rollout without a ledger. Returns undefined when the rollout has changed. */
export async function withLedger(
  writer: VersionWriter,
  rollout: ConfigRollout,
  existing: readonly FoundVersion[],
): Promise<ConfigRollout | undefined> {
  if (typeof ledgerOf(rollout) !== 'string') return rollout;
  return writeLedger(writer, rollout, rebuildLedger(existing.map(({ version }) => version)));
}
