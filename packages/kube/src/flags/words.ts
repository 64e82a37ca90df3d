/**
 * Splits words like a shell, with quotes and backslashes only: no variables, no wildcards, no comments. Returns
 * undefined when a quote is not closed or the text ends with a backslash.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  const pattern = /\s+|\\\n|"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)|(.)/gsy;
  let word: string | undefined;
  for (const [all, double, single, escaped, plain, open] of text.matchAll(pattern)) {
    if (open !== undefined) return undefined;
    const piece = double?.replace(/\\(?:\n|(["\\$`]))/g, '$1') ?? single ?? escaped ?? plain;
    if (piece !== undefined) word = (word ?? '') + piece;
    else if (all.trim() === '' && word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}
