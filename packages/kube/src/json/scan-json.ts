export interface JsonScan {
  /** Where the text stops being JSON, counted from 0; undefined when all of it is. */
  errorAt: number | undefined;
  /** The bracket that stands deeper than `maxDepth`: the scan ends there. */
  tooDeep: '{' | '[' | undefined;
  /** Keys that an object has twice, `spec.containers[1].name`, and where the second one stands. */
  duplicates: { path: string; at: number }[];
  /** Where the `wanted` paths stand first. */
  positions: Map<string, number>;
}

export interface ScanOptions {
  /** Deeper than anybody's objects, and shallower than what would exhaust the stack of who walks over them: 1,000. */
  maxDepth?: number;
  wanted?: ReadonlySet<string>;
}

/**
 * Walks over JSON once, without recursion and without building anything. It is here for what `JSON.parse` does not
 * tell: keys that come twice, of which it would silently keep the last, the depth, and where a mistake is without
 * quoting the text around it, which may be secret.
 */
export function scanJson(text: string, options: ScanOptions = {}): JsonScan {
  return new Scanner(text, options).scan();
}

/** An object or a list that the scan is inside of. */
interface Level {
  path: string;
  closes: typeof closingBrace | typeof closingBracket;
  /** Of an object: the keys so far. */
  keys: Set<string> | undefined;
  /** Of an object: the key whose value comes. */
  key: string;
  /** Of a list. */
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
  readonly #wanted: ReadonlySet<string>;
  readonly #levels: Level[] = [];
  readonly #duplicates: JsonScan['duplicates'] = [];
  readonly #positions: JsonScan['positions'] = new Map();
  #tooDeep: JsonScan['tooDeep'];
  #at = 0;

  constructor(text: string, { maxDepth = 1_000, wanted = nothing }: ScanOptions) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#wanted = wanted;
  }

  scan(): JsonScan {
    const isJson = this.#walk();
    return {
      errorAt: isJson || this.#tooDeep !== undefined ? undefined : this.#at,
      tooDeep: this.#tooDeep,
      duplicates: this.#duplicates,
      positions: this.#positions,
    };
  }

  /** False where the text stops being JSON, or goes too deep. */
  #walk(): boolean {
    for (;;) {
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

  /** After a value: the end of as many levels as end here, and what leads to the next value, if there is one. */
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

  /** A key, and the colon after it. */
  #key(level: Level, keys: Set<string>): boolean {
    if (this.#codeAfterSpace() !== quote) return false;
    const start = this.#at;
    if (!this.#string()) return false;
    const written = this.#text.slice(start + 1, this.#at - 1);
    level.key = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
    if (keys.has(level.key)) this.#duplicates.push({ path: this.#path(), at: start });
    else {
      keys.add(level.key);
      if (this.#wanted.size > 0) this.#findWanted(start);
    }
    if (this.#codeAfterSpace() !== colon) return false;
    this.#at += 1;
    return true;
  }

  #findWanted(at: number): void {
    const path = this.#path();
    if (this.#wanted.has(path)) this.#positions.set(path, at);
  }

  /** The path of the value that comes, as the API server names fields. */
  #path(): string {
    const level = this.#levels.at(-1);
    if (level === undefined) return '';
    if (level.keys === undefined) return `${level.path}[${level.index}]`;
    return this.#levels.length === 1 ? level.key : `${level.path}.${level.key}`;
  }

  /** By hand: a regular expression takes several times as long where a text has many escapes. */
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

  /** NaN at the end. */
  #codeAfterSpace(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#at += 1;
    }
  }
}
