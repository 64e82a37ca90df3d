import type { Screen } from './screen.ts';

/**
 * Colours a unified diff for a terminal, and shows control characters as `^[`, because a value may contain some that
 * disturb the terminal. Other outputs get the diff as it is.
 */
export function colourDiff(diff: string, screen: Screen): string {
  if (!screen.isTerminal) return diff;
  let left = 0;
  return diff
    .split('\n')
    .map((line) => {
      const text = visible(line);
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (left <= 0 && hunk !== null) {
        left = Number(hunk[1] ?? 1) + Number(hunk[2] ?? 1);
        return screen.colour('name', text);
      }
      if (left <= 0)
        return line.startsWith('\\') ? screen.colour('faint', text) : screen.colour('bold', text);
      if (line.startsWith('\\')) return screen.colour('faint', text);
      // A line of context counts for both sides.
      left -= line.startsWith('-') || line.startsWith('+') ? 1 : 2;
      if (line.startsWith('-')) return screen.colour('bad', text);
      return line.startsWith('+') ? screen.colour('good', text) : text;
    })
    .join('\n');
}

function visible(line: string): string {
  return line.replace(/[\p{Cc}]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (character === '\t') return character;
    return code < 0x80 ? `^${String.fromCharCode(code ^ 0x40)}` : `\\x${code.toString(16)}`;
  });
}
