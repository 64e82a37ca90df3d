import { createHash } from 'node:crypto';

/** Kubernetes' limits for the name of an object and the value of a label. */
const maxName = 253;
const maxLabelValue = 63;
const hashLength = 10;

/**
 * The name of a version's object. It follows from the rollout's uid and the version's name, so that creating
 * it twice after a crash meets AlreadyExists, and a rollout that is deleted and made anew never reuses the
 * name of an old object: kubelets go on serving an immutable object from memory under its name.
 */
export function versionObjectName(config: string, rolloutUid: string, version: string): string {
  const suffix = shortHash(JSON.stringify([rolloutUid, version]));
  return `${cut(config, maxName - hashLength - 1)}-${suffix}`;
}

/** Whether a name can be that of a version of this config; whether it is one, only the object itself can tell. */
export function mayBeVersionOf(config: string, object: string): boolean {
  const stem = `${cut(config, maxName - hashLength - 1)}-`;
  return object.startsWith(stem) && /^[a-z2-7]{10}$/.test(object.slice(stem.length));
}

/** The value of the label `trimtab.dev/config`: the config's name when it fits, otherwise its hash. */
export function configLabelValue(config: string): string {
  if (config.length <= maxLabelValue) return config;
  return `${cut(config, maxLabelValue - hashLength - 1)}-${shortHash(config)}`;
}

/** `configmap-foo`: one for each config, so that there can't be two. A hash takes the place of what is too long. */
export function rolloutName(kind: 'ConfigMap' | 'Secret', config: string): string {
  const name = `${kind.toLowerCase()}-${config}`;
  if (name.length <= maxName) return name;
  return `${cut(name, maxName - hashLength - 1)}-${shortHash(config)}`;
}

/** Cuts to `length`, and further where the end would not be allowed in a name. */
function cut(name: string, length: number): string {
  return name.slice(0, length).replace(/[^a-z0-9A-Z]+$/, '');
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** The first characters of a sha256 in base32: 50 bits, all of them allowed in names and labels. */
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
