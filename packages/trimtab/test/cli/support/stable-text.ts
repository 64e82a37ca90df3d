/**
 * Replaces what differs from run to run in the output of a command: ages, times, suffixes of object names, and the padding
 * of columns, which depends on them.
 */
export function stableText(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replace(/(?<= )\d+(s|m(\d+s)?)(?=\s|$)/gm, 'AGE')
    .replace(/\b([a-z]+)-[a-z2-7]{10}\b/g, '$1-HASH')
    .replace(/ {3,}/g, '   ');
}
