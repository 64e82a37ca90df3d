/** All characters that names of ConfigMaps and Secrets can have. */
const nameCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789-.';

/** A regular expression as a tree. Characters that no name has are not accepted or refused reliably. */
export type PatternNode =
  | { is: 'character'; accepts: (character: string) => boolean }
  | { is: 'start' | 'end' }
  | { is: 'sequence' | 'choice'; parts: PatternNode[] }
  | { is: 'repeat'; part: PatternNode; min: number; max: number };

/** The text is not a valid pattern, or uses what is not supported. */
export class NotSupported extends Error {}

/** The pattern is so large that it could occupy the controller. */
export class TooLarge extends NotSupported {}

export class PatternParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): PatternNode {
    const node = this.#choice(0);
    if (this.#at < this.#text.length) throw new NotSupported();
    return node;
  }

  #choice(depth: number): PatternNode {
    if (depth > 20) throw new NotSupported();
    const parts = [this.#sequence(depth)];
    while (this.#take('|')) parts.push(this.#sequence(depth));
    return { is: 'choice', parts };
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#text.length && !'|)'.includes(this.#next())) parts.push(this.#repeated(depth));
    return { is: 'sequence', parts };
  }

  #repeated(depth: number): PatternNode {
    const part = this.#single(depth);
    const bounds = this.#bounds();
    if (bounds === undefined) return part;
    // A lazy quantifier matches the same names.
    this.#take('?');
    if (/^[*+?{]/.test(this.#next())) throw new NotSupported();
    return { is: 'repeat', part, ...bounds };
  }

  #bounds(): { min: number; max: number } | undefined {
    if (this.#take('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.#take('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.#take('?')) return { min: 0, max: 1 };
    // A list is split at its commas, so there is no {1,3}.
    const count = /^\{(\d{1,3})\}/.exec(this.#text.slice(this.#at));
    if (count === null) return undefined;
    this.#at += count[0].length;
    return { min: Number(count[1]), max: Number(count[1]) };
  }

  #single(depth: number): PatternNode {
    const character = this.#read();
    switch (character) {
      case '(': {
        if (this.#take('?') && !this.#take(':')) throw new NotSupported();
        const node = this.#choice(depth + 1);
        if (!this.#take(')')) throw new NotSupported();
        return node;
      }
      case '[':
        return { is: 'character', accepts: this.#class() };
      case '\\':
        return this.#escaped();
      case '.':
        return { is: 'character', accepts: () => true };
      case '^':
        return { is: 'start' };
      case '$':
        return { is: 'end' };
      default:
        if ('*+?{}]'.includes(character)) throw new NotSupported();
        return { is: 'character', accepts: (other) => other === character };
    }
  }

  #escaped(): PatternNode {
    if (this.#take('A')) return { is: 'start' };
    if (this.#take('z')) return { is: 'end' };
    return { is: 'character', accepts: this.#escapedCharacter() };
  }

  #escapedCharacter(): (character: string) => boolean {
    const character = this.#read();
    const known = classes[character];
    if (known !== undefined) return known;
    if (/[a-z0-9]/i.test(character)) throw new NotSupported();
    return (other) => other === character;
  }

  #class(): (character: string) => boolean {
    const isNegated = this.#take('^');
    const accepted: ((character: string) => boolean)[] = [];
    do {
      const from = this.#read();
      if (from === '[' && this.#next() === ':') throw new NotSupported();
      if (from === '\\') accepted.push(this.#escapedCharacter());
      else if (/^-[^\]]/.test(this.#text.slice(this.#at))) {
        this.#read();
        const to = this.#read();
        if (to === '\\' || to < from) throw new NotSupported();
        accepted.push((other) => other >= from && other <= to);
      } else accepted.push((other) => other === from);
    } while (!this.#take(']'));
    // A class may have a thousand members, which are not searched again for each character of a name.
    const members = new Set(
      [...nameCharacters].filter((character) => accepted.some((accepts) => accepts(character)) !== isNegated),
    );
    return (character) => members.has(character);
  }

  #next(): string {
    return this.#text[this.#at] ?? '';
  }

  #read(): string {
    const character = this.#text[this.#at++];
    if (character === undefined) throw new NotSupported();
    return character;
  }

  #take(character: string): boolean {
    if (this.#next() !== character) return false;
    this.#at++;
    return true;
  }
}

const classes: Readonly<Record<string, (character: string) => boolean>> = {
  d: (character) => /\d/.test(character),
  D: (character) => /\D/.test(character),
  w: (character) => /\w/.test(character),
  W: (character) => /\W/.test(character),
  s: (character) => /\s/.test(character),
  S: (character) => /\S/.test(character),
};
