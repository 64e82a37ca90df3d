/** Characters that forge lines of tables and logs, or the order in which a name is shown: of no release of Trimtab. */
const forging = String.raw`\\p{Cc}\\p{Zl}\\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;

/** All characters that nobody sees: formats, private use, fillers and variation selectors. */
const invisible = String.raw`\\p{Cf}\\p{Co}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef`;

const maxLength = 253;

/**
 * CEL expression: whether a new version may have this name. `versionNameProblem` refuses more names, such as look-alikes
 * of `current`, which CEL cannot recognize. The size comes first, because it limits the cost of the rest.
 */
export function mayNameVersion(name: string): string {
  return `(size(${name}) > 0 && size(${name}) <= ${maxLength} && ${name}.lowerAscii() != 'current' && ${name}.find('[${forging}${invisible}]') == '')`;
}

/** CEL expression: whether a version of any release may have this name, so that a user can request it. */
export function mayRequestVersion(name: string): string {
  return `${name}.find('[${forging}]') == ''`;
}
