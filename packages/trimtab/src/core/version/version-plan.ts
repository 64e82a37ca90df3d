import type { Reason } from '../../api/reasons/reasons.ts';
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
  reason: Reason;
  message: string;
}

export type VersionPlan =
  /** The live content is already a version, or must not become one; a `problem` requires action by the user. */
  | { make: 'nothing'; problem?: VersionProblem }
  | { make: 'version'; reservation: Reservation }
  /** The content became this version, which is not in the cache: check the API server before creating a version. */
  | { make: 'verify'; name: string };

/** Plans what the content of a live config becomes. The first content always becomes a version, the baseline. */
export function planVersion({
  release,
  liveHash,
  type,
  chosenName,
  versions,
  ledger,
}: VersionPlanInput): VersionPlan {
  if (isRefusedType(type)) {
    return problem(
      'SecretTypeRefused',
      `Secrets of type ${type} belong to the cluster and cannot have versions`,
    );
  }
  const named = versions.find(({ name }) => name === chosenName);
  if (named !== undefined && named.contentHash !== liveHash) {
    return problem(
      'VersionNameTaken',
      `Version ${quote(named.name)} already exists with other content; choose another name in annotation trimtab.dev/version, or remove the annotation`,
    );
  }
  if (versions.some(({ contentHash }) => contentHash === liveHash)) return { make: 'nothing' };
  const { last } = ledger;
  if (last?.made && last.contentHash === liveHash) return { make: 'verify', name: last.name };
  if (release === 'Locked' && versions.length > 0) {
    return problem(
      'Locked',
      'The config was edited although its release mode is Locked; the edit is not released. Add versions through the API, or set spec.release to Auto or Manual',
    );
  }
  if (chosenName === undefined)
    return { make: 'version', reservation: reserve(ledger, { contentHash: liveHash }) };
  const invalid = versionNameProblem(chosenName);
  if (invalid !== undefined)
    return problem(
      'VersionNameInvalid',
      `Annotation trimtab.dev/version is not a valid version name: ${invalid}`,
    );
  const isPending = ledger.last?.name === chosenName && isOpen(ledger, liveHash);
  if (isNameUsed(ledger, chosenName) && !isPending) {
    return problem(
      'VersionNameTaken',
      `Version name ${quote(chosenName)} was used before and cannot be used again; choose another name in annotation trimtab.dev/version`,
    );
  }
  return { make: 'version', reservation: reserve(ledger, { contentHash: liveHash, chosen: chosenName }) };
}

/** Credentials that the cluster creates and revokes itself: a copy would outlive them. */
const refusedTypes = new Set(['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token']);

/** Whether a Secret of this type never has versions. */
export function isRefusedType(type: string | undefined): boolean {
  return type !== undefined && refusedTypes.has(type);
}

function problem(reason: Reason, message: string): VersionPlan {
  return { make: 'nothing', problem: { reason, message } };
}

function quote(name: string): string {
  return JSON.stringify(name);
}
