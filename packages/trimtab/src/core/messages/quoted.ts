const maxLength = 100;
/** Of an object or a version: a valid name is not cut where it tells what the message is about. */
export const longestName = 253;

/** What a client sent, in quotes and cut to a limited length, for a message. Not for values of a config. */
export function quoted(value: unknown, max = maxLength): string {
  if (typeof value === 'string') return visible(JSON.stringify(shortened(value, max)));
  if (Array.isArray(value)) return 'a list';
  // An object of a client may have a `toString` of its own, which is no function.
  return typeof value === 'object' && value !== null ? 'a map' : String(value);
}

/**
 * The text with its invisible characters as escapes: marks that change the direction of writing, and characters of no
 * width, could make a message or a table say something else than it does. Control characters stay.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** The beginning of a text that a client may have made long. The mark `…` tells that it is cut. */
export function shortened(text: string, max = maxLength): string {
  return text.length > max ? `${text.slice(0, max)}…` : text;
}
