import { widthOf } from './screen.ts';

/** Breaks a text into lines of at most `width` columns, at spaces where possible. */
export function wrap(text: string, width: number | undefined): string[] {
  if (width === undefined || widthOf(text) <= width) return [text];
  const room = Math.max(1, width);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (widthOf(joined) <= room) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = broken(word, room);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? '';
  }
  return line === '' ? lines : [...lines, line];
}

/** A word that is wider than a line, such as the name of a pod. */
function broken(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (piece !== '' && widthOf(piece + character) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
