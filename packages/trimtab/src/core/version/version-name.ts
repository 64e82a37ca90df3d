import { reservedVersionName } from '../../api/names.ts';
import { readsLikeReserved } from './reserved-look-alikes.ts';

const maxLength = 253;

const refusedCharacters: readonly (readonly [RegExp, string])[] = [
  [/\p{Cf}|\p{Default_Ignorable_Code_Point}|\u2800/u, 'invisible characters'],
  [/\p{C}|[\ufffc\ufffd]/u, 'characters that Unicode has not assigned, or only for private use'],
  [/[^\P{Zs} ]/u, 'spaces other than U+0020'],
];

/**
 * Returns why a new version cannot have this name, for an error message; undefined when it can. Names that can be created
 * can be read on every path by every client, show all of their characters, and do not read like `current`. A reference to
 * a version is looked up before its name is checked, because versions of earlier releases may have names that are refused
 * now.
 */
export function versionNameProblem(name: string): string | undefined {
  const impossible = impossibleNameProblem(name);
  if (impossible !== undefined) return impossible;
  if (/[/\\]/.test(name))
    return "must not contain '/' or '\\', because kubectl and proxies decode them to separators of the path";
  for (const [characters, what] of refusedCharacters) {
    const found = characters.exec(name)?.[0].codePointAt(0);
    if (found !== undefined) return `must not contain ${what} (${codePoint(found)})`;
  }
  if (/(?:^| )\p{M}/u.test(name)) return 'must not contain a combining mark without a letter before it';
  if (name !== name.normalize('NFC')) return 'must be in the Unicode normalization form NFC';
  if (readsLikeReserved(name))
    return `reads like '${reservedVersionName}', which is reserved: it stands for the version that is current`;
  return undefined;
}

/** Returns why no version has this name, of whatever release of Trimtab. */
export function impossibleNameProblem(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (name === reservedVersionName)
    return `'${reservedVersionName}' is reserved: it stands for the version that is current`;
  if (name === '.' || name === '..') return `'${name}' is not allowed because it has a meaning in paths`;
  // A character has at most two code units, so a long text need not be taken apart.
  if (name.length > 2 * maxLength || [...name].length > maxLength)
    return `must be no more than ${maxLength} characters`;
  if (name !== name.trim()) return 'must not begin or end with white space';
  // A line break in a name could forge lines in tables and logs.
  if (/\p{Cc}|\u2028|\u2029/u.test(name)) return 'must be one line without control characters';
  return undefined;
}

/** Messages show the code point, because the character itself cannot be seen. */
function codePoint(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
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
