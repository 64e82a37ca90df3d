export interface Range {
  start: number;
  end: number;
}

/** The comments of a text in an unknown format: after `#` and `//`, in lines that begin with `;`, and in blocks. */
export function findComments(text: string): Range[] {
  const comments: Range[] = [];
  const lastEnds = new Map(['*/', '-->'].map((closing) => [closing, text.lastIndexOf(closing)]));
  let at = 0;
  while (at < text.length) {
    const newline = text.indexOf('\n', at);
    const lineEnd = newline < 0 ? text.length : newline;
    const line = text.slice(at, lineEnd);
    const block = findBlock(text, line, at, lastEnds);
    if (block !== undefined) {
      comments.push(block);
      at = block.end;
      continue;
    }
    const start = lineComment(line);
    if (start !== undefined) comments.push({ start: at + start, end: lineEnd });
    at = lineEnd + 1;
  }
  return comments;
}

/**
 * A block begins at the start of a line: elsewhere, `/*` is as likely a pattern of paths. A block that does not end is none.
 */
function findBlock(
  text: string,
  line: string,
  lineStart: number,
  lastEnds: ReadonlyMap<string, number>,
): Range | undefined {
  const opening = /^\s*(?:\{\{-?\s*)?(\/\*|<!--)/.exec(line);
  if (opening === null) return undefined;
  const closing = opening[1] === '/*' ? '*/' : '-->';
  const start = lineStart + opening[0].length;
  if ((lastEnds.get(closing) ?? -1) < start) return undefined;
  return { start: lineStart, end: text.indexOf(closing, start) + closing.length };
}

/** Returns where the comment of a line begins. A comment sign in quotes or within a word, as in a URL, is none. */
function lineComment(line: string): number | undefined {
  if (/^\s*;/.test(line)) return 0;
  const part = /"(?:[^"\\]|\\.)*"|(?<!\w)'[^']*'|(?<=^|\s)(#|\/\/)|[\s\S]/g;
  for (const match of line.matchAll(part)) if (match[1] !== undefined) return match.index;
  return undefined;
}
