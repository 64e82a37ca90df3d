import { reservedVersionName } from '../../api/names.ts';

const maxLength = 253;

/** Why `name` can't be the name of a version, in words for the person who chose it; undefined when it can. */
export function versionNameProblem(name: string): string | undefined {
  if (name === '') return 'a version needs a name';
  if (name === reservedVersionName)
    return `'${reservedVersionName}' is the word for whichever version is current`;
  if (name === '.' || name === '..') return `'${name}' has a meaning in paths`;
  if ([...name].length > maxLength) return `a version name has at most ${maxLength} characters`;
  if (name !== name.trim()) return 'a version name neither begins nor ends with white space';
  // Cc: control characters. A line break in a name would forge lines in tables and logs.
  if (/\p{Cc}|\u2028|\u2029/u.test(name)) return 'a version name is one line without control characters';
  return undefined;
}

/** `1.0.N`: the names that Trimtab gives by itself. */
export function automaticName(patch: number): string {
  return `1.0.${patch}`;
}

/** N of `1.0.N`, or undefined for any other name. */
export function automaticPatch(name: string): number | undefined {
  const match = /^1\.0\.(0|[1-9]\d{0,14})$/.exec(name);
  return match === null ? undefined : Number(match[1]);
}
