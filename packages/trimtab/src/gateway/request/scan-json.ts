export interface JsonScan {
  /** Where the text stops being JSON, counted from 0; undefined when all of it is. */
  errorAt?: number;
  /** Objects and arrays stand deeper in each other than `maxDepth`. */
  tooDeep?: true;
  /** Paths of keys that stand twice in one object: `JSON.parse` would silently keep the last. */
  duplicates: string[];
}

interface Level {
  closes: '}' | ']';
  /** Of an object: the keys so far. */
  keys: Set<string>;
  /** What stands between the path of the parent and that of a value in here. */
  at: string;
  count: number;
}

const space = /[ \t\n\r]*/y;
const escapes = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * Walks over JSON without building anything. It is here for what `JSON.parse` does not tell: duplicate keys, the
 * depth, and where a mistake is without quoting the text around it, which may be secret.
 */
export function scanJson(text: string, maxDepth = 100): JsonScan {
  const duplicates: string[] = [];
  const levels: Level[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  /** By hand: on megabytes, a regular expression would need a stack that it does not have. */
  const takeString = (): string | undefined => {
    const start = at;
    if (text[at] !== '"') return undefined;
    for (at += 1; at < text.length; ) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        at += 1;
        return text.slice(start, at);
      }
      if (code < 0x20) return undefined;
      if (code !== 0x5c) at += 1;
      else if (take(escapes) === undefined) return undefined;
    }
    return undefined;
  };
  const failed = (): JsonScan => ({ errorAt: at, duplicates });

  for (;;) {
    take(space);
    const level = levels.at(-1);
    if (level !== undefined) {
      if (text[at] === level.closes && level.count === 0) {
        at += 1;
        levels.pop();
        if (!closed()) return failed();
        if (levels.length === 0) return end();
        continue;
      }
      if (level.closes === '}') {
        const key = takeString();
        if (key === undefined) return failed();
        const name: string = JSON.parse(key);
        if (level.keys.has(name)) duplicates.push(pathOf(levels, name));
        level.keys.add(name);
        level.at = name;
        take(space);
        if (text[at] !== ':') return failed();
        at += 1;
        take(space);
      } else level.at = String(level.count);
      level.count += 1;
    }
    const opens = text[at];
    if (opens === '{' || opens === '[') {
      if (levels.length >= maxDepth) return { tooDeep: true, duplicates };
      at += 1;
      levels.push({ closes: opens === '{' ? '}' : ']', keys: new Set(), at: '', count: 0 });
      continue;
    }
    if ((opens === '"' ? takeString() : take(scalar)) === undefined) return failed();
    if (!closed()) return failed();
    if (levels.length === 0) return end();
  }

  /** After a value: a comma, or the end of as many levels as end here. */
  function closed(): boolean {
    for (;;) {
      take(space);
      const level = levels.at(-1);
      if (level === undefined) return true;
      if (text[at] === ',') {
        at += 1;
        take(space);
        return text[at] !== level.closes;
      }
      if (text[at] !== level.closes) return false;
      at += 1;
      levels.pop();
    }
  }

  function end(): JsonScan {
    take(space);
    return at === text.length ? { duplicates } : failed();
  }
}

/** `metadata.labels["a.b"]`: as the API server names fields. */
function pathOf(levels: readonly Level[], last: string): string {
  return levels
    .slice(0, -1)
    .map(({ at, closes }) => (closes === ']' ? `[${at}]` : at))
    .concat(last)
    .join('.')
    .replaceAll('.[', '[');
}
