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

  constructor(output: Output, env: Readonly<Record<string, string | undefined>>) {
    this.output = output;
    this.isTerminal = output.isTTY === true;
    // https://no-color.org: any value but the empty one.
    this.hasColours = this.isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  }

  /** Columns of the terminal; undefined when the output is not a terminal, so that lines are not cut. */
  get width(): number | undefined {
    return this.isTerminal ? (this.output.columns ?? 80) : undefined;
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
  return [...stripVTControlCharacters(text)].length;
}
