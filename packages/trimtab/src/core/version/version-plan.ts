import { versionSecretType } from '../../api/names.ts';
import type { Reason } from '../../api/reasons/reasons.ts';
import type { KnownVersion } from './intent.ts';
import { isDeletedName, type Ledger, nextAutomaticName, nextSequence } from './ledger.ts';
import { versionNameProblem } from './version-name.ts';

export interface VersionPlanInput {
  liveHash: string;
  /** The type of a Secret. */
  type: string | undefined;
  /** `trimtab.dev/version` of the config. */
  chosenName: string | undefined;
  versions: readonly KnownVersion[];
  /** All version objects of the config that exist, including those that are void or of an earlier rollout. */
  existing: readonly { name: string; sequence: number }[];
  ledger: Ledger;
  /** Whether another object has the name that the object of this version needs. */
  isOccupied(versionName: string): boolean;
}

export interface VersionProblem {
  reason: Reason;
  message: string;
}

export interface PlannedVersion {
  name: string;
  sequence: number;
}

export type VersionPlan =
  /** The live content is already a version, or cannot become one; a `problem` requires action by the user. */
  | { make: 'nothing'; problem?: VersionProblem }
  /** `occupied`: names that were passed over, because another object has the name that theirs needs. */
  | ({ make: 'version'; occupied: readonly string[] } & PlannedVersion);

/** Plans what the content of a live config becomes. The first content always becomes a version, the baseline. */
export function planVersion(input: VersionPlanInput): VersionPlan {
  const { liveHash, type, chosenName, versions, existing, ledger } = input;
  const refused = typeProblem(type);
  if (refused !== undefined) return { make: 'nothing', problem: refused };
  const named = versions.find(({ name }) => name === chosenName);
  if (named !== undefined && named.contentHash !== liveHash) {
    return problem(
      'VersionNameTaken',
      `Version ${quote(named.name)} already exists with other content; choose another name in annotation trimtab.dev/version, or remove the annotation`,
    );
  }
  if (versions.some(({ contentHash }) => contentHash === liveHash)) return { make: 'nothing' };
  const sequence = nextSequence(ledger, existing);
  if (chosenName === undefined) {
    const occupied: string[] = [];
    const name = nextAutomaticName(ledger, existing, (each) => {
      const isTaken = input.isOccupied(each);
      if (isTaken) occupied.push(each);
      return isTaken;
    });
    return { make: 'version', name, sequence, occupied };
  }
  const invalid = versionNameProblem(chosenName);
  if (invalid !== undefined)
    return problem(
      'VersionNameInvalid',
      `Annotation trimtab.dev/version is not a valid version name: ${invalid}`,
    );
  if (isDeletedName(ledger, chosenName) || existing.some(({ name }) => name === chosenName)) {
    return problem(
      'VersionNameTaken',
      `Version name ${quote(chosenName)} was used before and cannot be used again; choose another name in annotation trimtab.dev/version`,
    );
  }
  if (input.isOccupied(chosenName)) {
    return problem(
      'VersionNameTaken',
      `The object name of version ${quote(chosenName)} is taken by another object; choose another name in annotation trimtab.dev/version, or delete that object`,
    );
  }
  return { make: 'version', name: chosenName, sequence, occupied: [] };
}

/** Credentials that the cluster creates and revokes itself: a copy would outlive them. */
export const refusedTypes = ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'] as const;

/** Whether a Secret of this type never has versions. */
export function isRefusedType(type: string | undefined): boolean {
  return type === versionSecretType || refusedTypes.some((each) => each === type);
}

/** Why the content of a live Secret never becomes a version. */
export function typeProblem(type: string | undefined): VersionProblem | undefined {
  if (!isRefusedType(type)) return undefined;
  const message =
    type === versionSecretType
      ? `Secrets of type ${type} are versions of other Secrets and cannot have versions`
      : `Secrets of type ${type} belong to the cluster and cannot have versions`;
  return { reason: 'SecretTypeRefused', message };
}

function problem(reason: Reason, message: string): VersionPlan {
  return { make: 'nothing', problem: { reason, message } };
}

function quote(name: string): string {
  return JSON.stringify(name);
}
