import { stripVTControlCharacters } from 'node:util';
import type { Output } from '@trimtab/kube/flags/program-io.ts';

const codes = { good: 32, busy: 33, bad: 31, name: 36, faint: 2, bold: 1 } as const;

/** What a colour means. A colour is never the only signal: the text says the same. */
export type Tone = keyof typeof codes;

/** Standard output of a command: colours and the width of the terminal, if it is one. */
export class Screen {
  readonly output: Output;
  readonly isTerminal: boolean;
  readonly hasColours: boolean;
  /** The locale is UTF-8, so symbols and box characters can be shown. */
  readonly hasUnicode: boolean;

  constructor(output: Output, env: Readonly<Record<string, string | undefined>>) {
    this.output = output;
    this.isTerminal = output.isTTY === true;
    // https://no-color.org: any value but the empty one.
    this.hasColours = this.isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
    // As setlocale(3): the first of these variables that is set decides. Windows has none of them.
    const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
    this.hasUnicode = /utf-?8/i.test(locale) || env['OS'] === 'Windows_NT';
  }

  /** Columns of the terminal; undefined when the output is not a terminal, so that lines are not cut. */
  get width(): number | undefined {
    return this.isTerminal ? this.#size[0] : undefined;
  }

  /** Rows of the terminal. */
  get height(): number {
    return this.#size[1];
  }

  get #size(): [columns: number, rows: number] {
    const [columns, rows] = this.output.getWindowSize?.() ?? [this.output.columns, this.output.rows];
    // Some terminals report a size of 0.
    return [columns || 80, rows || 24];
  }

  write(text: string): void {
    this.output.write(text);
  }

  line(text = ''): void {
    this.output.write(`${text}\n`);
  }

  colour(tone: Tone, text: string): string {
    return this.hasColours && text !== '' ? `\x1b[${codes[tone]}m${text}\x1b[0m` : text;
  }
}

/** The number of columns that a text takes, without its colours. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += columnsOf(character);
  return width;
}

const csi = '\x1b[';
const colourCode = new RegExp(`(${csi.replace('[', '\\[')}[0-9;]*m)`);

/** Cuts a text to a number of columns. Colours stay whole. */
export function cut(text: string, width: number, ellipsis = '…'): string {
  if (widthOf(text) <= width) return text;
  const room = Math.max(0, width - widthOf(ellipsis));
  let used = 0;
  let kept = '';
  let isFull = false;
  for (const part of text.split(colourCode)) {
    if (part.startsWith(csi)) {
      kept += part;
      continue;
    }
    for (const character of isFull ? '' : part) {
      const columns = columnsOf(character);
      if (used + columns > room) {
        isFull = true;
        kept += ellipsis.slice(0, width);
        break;
      }
      used += columns;
      kept += character;
    }
  }
  return kept;
}

/** Characters of East Asian scripts and emoji take two columns; combining marks take none. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const withoutWidth = /[\p{Mn}\p{Me}\p{Cf}]/u;

function columnsOf(character: string): number {
  if (character < '\u0300') return 1;
  if (withoutWidth.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
