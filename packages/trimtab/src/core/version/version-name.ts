import { reservedVersionName } from '../../api/names.ts';

const maxLength = 253;

/** Returns why `name` is not a valid version name, for an error message; undefined when it is valid. */
export function versionNameProblem(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (name === reservedVersionName)
    return `'${reservedVersionName}' is reserved: it stands for the version that is current`;
  if (name === '.' || name === '..') return `'${name}' is not allowed because it has a meaning in paths`;
  if ([...name].length > maxLength) return `must be no more than ${maxLength} characters`;
  if (name !== name.trim()) return 'must not begin or end with white space';
  // A line break in a name could forge lines in tables and logs.
  if (/\p{Cc}|\u2028|\u2029/u.test(name)) return 'must be one line without control characters';
  return undefined;
}

/** `1.0.N`: the names of automatic versions. */
export function automaticName(patch: number): string {
  return `1.0.${patch}`;
}

/** The automatic name of a first version. The content of an unmanaged config is its only version, with this name. */
export const firstVersionName = automaticName(0);

/** N of `1.0.N`, or undefined for any other name. */
export function automaticPatch(name: string): number | undefined {
  const match = /^1\.0\.(0|[1-9]\d{0,14})$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}
