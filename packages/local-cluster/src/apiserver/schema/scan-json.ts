/** Deeper than anybody's objects, and shallower than what would exhaust the stack. */
const maxDepth = 1_000;

export interface Scan {
  /** Keys that an object has twice, `metadata.labels.a`, and where the second one stands. */
  duplicates: { path: string; at: number }[];
  /** Where the paths that were asked for stand first. */
  positions: Map<string, number>;
  /** The bracket that is one too many; undefined when all is well. */
  tooDeep: '{' | '[' | undefined;
}

interface Level {
  keys: Set<string> | undefined;
  path: string;
  index: number;
}

/**
 * What JSON.parse does not tell about a text that it accepts: keys that come twice, and how deep it goes. Walks over
 * the text once, without recursion.
 */
export function scanJson(text: string, wanted: ReadonlySet<string> = new Set()): Scan {
  const duplicates: Scan['duplicates'] = [];
  const positions = new Map<string, number>();
  const levels: Level[] = [];
  let pendingPath = '';
  let expectKey = false;
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
      case 0x5b: {
        // [
        const isList = text[at] === '[';
        levels.push({ keys: isList ? undefined : new Set(), path: pendingPath, index: 0 });
        if (levels.length > maxDepth) return { duplicates, positions, tooDeep: isList ? '[' : '{' };
        expectKey = !isList;
        if (isList) pendingPath = `${pendingPath}[0]`;
        break;
      }
      case 0x7d: // }
      case 0x5d: // ]
        levels.pop();
        expectKey = false;
        break;
      case 0x2c: // ,
        if (level === undefined) break;
        expectKey = level.keys !== undefined;
        if (level.keys === undefined) pendingPath = `${level.path}[${++level.index}]`;
        break;
      case 0x22: {
        // "
        const end = endOfString(text, at);
        if (expectKey && level?.keys !== undefined) {
          const key = JSON.parse(text.slice(at, end + 1)) as string;
          pendingPath = level.path === '' ? key : `${level.path}.${key}`;
          if (level.keys.has(key)) duplicates.push({ path: pendingPath, at });
          else if (wanted.has(pendingPath)) positions.set(pendingPath, at);
          level.keys.add(key);
          expectKey = false;
        }
        at = end;
        break;
      }
    }
  }
  return { duplicates, positions, tooDeep: undefined };
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return quote;
    at = quote + 1;
  }
}
