import { createHash } from 'node:crypto';

/** Kubernetes' limits for the name of an object and the value of a label. */
const maxName = 253;
const maxLabelValue = 63;
const hashLength = 10;

/**
 * The name of a version's object, derived from the rollout's uid and the version's name. Creating the object again
 * after a crash fails with AlreadyExists. A rollout that is deleted and created again never reuses the name of an old
 * object, because kubelets keep serving an immutable object from memory under its name.
 */
export function versionObjectName(config: string, rolloutUid: string, version: string): string {
  const suffix = shortHash(JSON.stringify([rolloutUid, version]));
  return `${cut(config, maxName - hashLength - 1)}-${suffix}`;
}

/** The part of a version object's name that is derived from the rollout and the version's name. */
export function objectSuffix(object: string): string {
  return object.slice(-hashLength);
}

/** Whether a name has the form of a version of this config. Only the object itself shows whether it is a version. */
export function mayBeVersionOf(config: string, object: string): boolean {
  const stem = `${cut(config, maxName - hashLength - 1)}-`;
  return object.startsWith(stem) && /^[a-z2-7]{10}$/.test(object.slice(stem.length));
}

/** The config in the name of a version's object; undefined when the name has another form, or may have been cut. */
export function configNameIn(object: string): string | undefined {
  if (object.length >= maxName - 1) return undefined;
  return /^(.+)-[a-z2-7]{10}$/.exec(object)?.[1];
}

/** The value of the label `trimtab.dev/config`: the config's name, shortened with a hash when it is too long. */
export function configLabelValue(config: string): string {
  if (config.length <= maxLabelValue) return config;
  return `${cut(config, maxLabelValue - hashLength - 1)}-${shortHash(config)}`;
}

/** The value of the label `trimtab.dev/version`; undefined for a name that no label can hold, such as `first try`. */
export function versionLabelValue(version: string): string | undefined {
  const isValid = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(version);
  return isValid && version.length <= maxLabelValue ? version : undefined;
}

/** `configmap-foo`: the name is fixed, so a config has at most one rollout. A long name is shortened with a hash. */
export function rolloutName(kind: 'ConfigMap' | 'Secret', config: string): string {
  const name = `${kind.toLowerCase()}-${config}`;
  if (name.length <= maxName) return name;
  return `${cut(name, maxName - hashLength - 1)}-${shortHash(config)}`;
}

/** Cuts a name to `length`, and removes characters that may not end a name. */
function cut(name: string, length: number): string {
  return name.slice(0, length).replace(/[^a-z0-9A-Z]+$/, '');
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** The first 50 bits of a SHA-256 in base32, whose characters are allowed in names and labels. */
export function shortHash(text: string): string {
  const digest = createHash('sha256').update(text).digest();
  let bits = digest.readBigUInt64BE(0);
  let out = '';
  for (let i = 0; i < hashLength; i++) {
    out += alphabet[Number(bits >> 59n)];
    bits = BigInt.asUintN(64, bits << 5n);
  }
  return out;
}
