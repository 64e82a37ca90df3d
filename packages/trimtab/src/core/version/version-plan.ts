import type { ReleaseMode } from '../workload/opt-in.ts';
import type { KnownVersion } from './intent.ts';
import { isNameUsed, isOpen, type Ledger, type Reservation, reserve } from './ledger.ts';
import { versionNameProblem } from './version-name.ts';

export interface VersionPlanInput {
  release: ReleaseMode;
  liveHash: string;
  /** The type of a Secret. */
  type: string | undefined;
  /** `trimtab.dev/version` of the config. */
  chosenName: string | undefined;
  versions: readonly KnownVersion[];
  ledger: Ledger;
}

interface VersionProblem {
  /** One word. */
  reason: string;
  message: string;
}

export type VersionPlan =
  /** The live content is a version already, or must not become one; with a problem, a person has to do something. */
  | { make: 'nothing'; problem?: VersionProblem }
  | { make: 'version'; reservation: Reservation }
  /** It became this version, which the cache does not show: see whether it is there before anything is made. */
  | { make: 'verify'; name: string };

/** What the content of a live config becomes. The first content always becomes a version: the baseline. */
export function planVersion({
  release,
  liveHash,
  type,
  chosenName,
  versions,
  ledger,
}: VersionPlanInput): VersionPlan {
  if (isRefusedType(type)) {
    return problem('SecretTypeRefused', `Secrets of type ${type} belong to the cluster and are never copied`);
  }
  const named = versions.find(({ name }) => name === chosenName);
  if (named !== undefined && named.contentHash !== liveHash) {
    return problem(
      'VersionNameTaken',
      `version ${quote(named.name)} exists with other content; choose another name in the annotation trimtab.dev/version, or remove it`,
    );
  }
  if (versions.some(({ contentHash }) => contentHash === liveHash)) return { make: 'nothing' };
  const { last } = ledger;
  if (last?.made && last.contentHash === liveHash) return { make: 'verify', name: last.name };
  if (release === 'Locked' && versions.length > 0) {
    return problem(
      'Locked',
      'the config was edited although its release mode is Locked; the edit is not released',
    );
  }
  if (chosenName === undefined)
    return { make: 'version', reservation: reserve(ledger, { contentHash: liveHash }) };
  const invalid = versionNameProblem(chosenName);
  if (invalid !== undefined)
    return problem('VersionNameInvalid', `annotation trimtab.dev/version: ${invalid}`);
  const isPending = ledger.last?.name === chosenName && isOpen(ledger, liveHash);
  if (isNameUsed(ledger, chosenName) && !isPending) {
    return problem(
      'VersionNameTaken',
      `a version ${quote(chosenName)} existed before and a name is never used twice; choose another one in the annotation trimtab.dev/version`,
    );
  }
  return { make: 'version', reservation: reserve(ledger, { contentHash: liveHash, chosen: chosenName }) };
}

/** Credentials that the cluster makes and revokes itself: a copy would outlive them. */
const refusedTypes = new Set(['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token']);

/** Whether a Secret of this type never has versions. */
export function isRefusedType(type: string | undefined): boolean {
  return type !== undefined && refusedTypes.has(type);
}

function problem(reason: string, message: string): VersionPlan {
  return { make: 'nothing', problem: { reason, message } };
}

function quote(name: string): string {
  return JSON.stringify(name);
}
