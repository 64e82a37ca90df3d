export interface JsonScan {
  /** Offset of the first syntax error, from 0; undefined when the text is valid JSON. */
  errorAt: number | undefined;
  /** The opening bracket that exceeds `maxDepth`; the scan ends there. */
  tooDeep: '{' | '[' | undefined;
  /** Whether the text has more than `maxValues` values; the scan ends there. */
  tooMany: boolean;
  /** Paths of duplicate keys, such as `spec.containers[1].name`, and the offset of the second occurrence. */
  duplicates: { path: string; at: number }[];
  /** Offset of the first occurrence of each path in `wanted`. */
  positions: Map<string, number>;
}

export interface ScanOptions {
  /**
   * Defaults to 1,000: deeper than any real object, shallow enough for recursive functions not to exhaust the stack.
   */
  maxDepth?: number;
  /** Objects, lists and scalars; keys are not counted. No limit by default. */
  maxValues?: number;
  /** Later duplicates are not reported. No limit by default. */
  maxDuplicates?: number;
  wanted?: ReadonlySet<string>;
}

/**
 * Scans JSON once, without recursion and without building objects. It reports what `JSON.parse` does not: duplicate
 * keys (`JSON.parse` silently keeps the last), excessive depth, and the position of a syntax error without quoting
 * the surrounding text, which may be secret.
 */
export function scanJson(text: string, options: ScanOptions = {}): JsonScan {
  return new Scanner(text, options).scan();
}

/** An object or list that encloses the current position. */
interface Level {
  path: string;
  closes: typeof closingBrace | typeof closingBracket;
  /** Objects only: the keys read so far. */
  keys: Set<string> | undefined;
  /** Objects only: the key of the next value. */
  key: string;
  /** Lists only. */
  index: number;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const openingBracket = 0x5b;
const closingBracket = 0x5d;
const openingBrace = 0x7b;
const closingBrace = 0x7d;

const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const longEscape = /\\u[0-9a-fA-F]{4}/y;
const shortEscapes: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));

const nothing: ReadonlySet<string> = new Set();

class Scanner {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #maxValues: number;
  readonly #maxDuplicates: number;
  readonly #wanted: ReadonlySet<string>;
  #longestWanted = 0;
  readonly #levels: Level[] = [];
  readonly #duplicates: JsonScan['duplicates'] = [];
  readonly #positions: JsonScan['positions'] = new Map();
  #tooDeep: JsonScan['tooDeep'];
  #values = 0;
  #at = 0;

  constructor(
    text: string,
    {
      maxDepth = 1_000,
      maxValues = Number.POSITIVE_INFINITY,
      maxDuplicates = Number.POSITIVE_INFINITY,
      wanted = nothing,
    }: ScanOptions,
  ) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#maxValues = maxValues;
    this.#maxDuplicates = maxDuplicates;
    this.#wanted = wanted;
    for (const { length } of wanted) this.#longestWanted = Math.max(this.#longestWanted, length);
  }

  scan(): JsonScan {
    const isJson = this.#walk();
    const tooMany = this.#values > this.#maxValues;
    return {
      errorAt: isJson || tooMany || this.#tooDeep !== undefined ? undefined : this.#at,
      tooDeep: this.#tooDeep,
      tooMany,
      duplicates: this.#duplicates,
      positions: this.#positions,
    };
  }

  /** Returns false on a syntax error or beyond a limit. */
  #walk(): boolean {
    for (;;) {
      this.#values += 1;
      if (this.#values > this.#maxValues) return false;
      const code = this.#codeAfterSpace();
      if (code === openingBrace || code === openingBracket) {
        const level = this.#open(code);
        if (level === undefined) return false;
        if (this.#codeAfterSpace() !== level.closes) {
          if (level.keys !== undefined && !this.#key(level, level.keys)) return false;
          continue;
        }
      } else if (!(code === quote ? this.#string() : this.#take(scalar))) return false;
      if (!this.#next()) return false;
      if (this.#levels.length === 0) return this.#at === this.#text.length;
    }
  }

  #open(code: typeof openingBrace | typeof openingBracket): Level | undefined {
    const isList = code === openingBracket;
    if (this.#levels.length >= this.#maxDepth) {
      this.#tooDeep = isList ? '[' : '{';
      return undefined;
    }
    this.#at += 1;
    const level: Level = {
      path: this.#path(),
      closes: isList ? closingBracket : closingBrace,
      keys: isList ? undefined : new Set(),
      key: '',
      index: 0,
    };
    this.#levels.push(level);
    return level;
  }

  /** Continues after a value: closes all levels that end here and moves to the next value, if any. */
  #next(): boolean {
    for (;;) {
      const code = this.#codeAfterSpace();
      const level = this.#levels.at(-1);
      if (level === undefined) return true;
      if (code === comma) {
        this.#at += 1;
        level.index += 1;
        return level.keys === undefined || this.#key(level, level.keys);
      }
      if (code !== level.closes) return false;
      this.#at += 1;
      this.#levels.pop();
    }
  }

  /** Reads a key and the colon after it. */
  #key(level: Level, keys: Set<string>): boolean {
    if (this.#codeAfterSpace() !== quote) return false;
    const start = this.#at;
    if (!this.#string()) return false;
    const written = this.#text.slice(start + 1, this.#at - 1);
    level.key = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
    if (keys.has(level.key)) {
      if (this.#duplicates.length < this.#maxDuplicates)
        this.#duplicates.push({ path: this.#path(), at: start });
    } else {
      keys.add(level.key);
      if (this.#wanted.size > 0) this.#findWanted(start);
    }
    if (this.#codeAfterSpace() !== colon) return false;
    this.#at += 1;
    return true;
  }

  #findWanted(at: number): void {
    const path = this.#path();
    // The length is known at once, but a lookup reads the whole path, which may be as long as the text.
    if (path.length <= this.#longestWanted && this.#wanted.has(path)) this.#positions.set(path, at);
  }

  /** Path of the next value, in the API server's notation for fields. */
  #path(): string {
    const level = this.#levels.at(-1);
    if (level === undefined) return '';
    if (level.keys === undefined) return `${level.path}[${level.index}]`;
    return this.#levels.length === 1 ? level.key : `${level.path}.${level.key}`;
  }

  /** Written without a regular expression, which takes several times as long for text with many escapes. */
  #string(): boolean {
    const text = this.#text;
    let at = this.#at + 1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === quote) break;
      if (code >= 0x20 && code !== backslash) at += 1;
      else if (code === backslash && shortEscapes.has(text.charCodeAt(at + 1))) at += 2;
      else {
        this.#at = at;
        if (code !== backslash || !this.#take(longEscape)) return false;
        at = this.#at;
      }
    }
    this.#at = at + 1;
    return true;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  /** Returns NaN at the end of the text. */
  #codeAfterSpace(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#at += 1;
    }
  }
}
