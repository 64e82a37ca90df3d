/** Words as they can be typed in a shell: a word with other than simple characters is quoted. */
export function shellWords(...words: readonly string[]): string {
  return words
    .map((word) => (/^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}
