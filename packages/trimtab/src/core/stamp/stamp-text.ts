import { type FoundValue, findValues, lineOf } from './find-values.ts';

export interface StampProblem {
  /** Undefined when the problem concerns the whole text. */
  line?: number;
  message: string;
}

export interface Stamped {
  /** The new text. It is the old one when there are problems. */
  text: string;
  changed: boolean;
  /** Number of values of the key. */
  found: number;
  /** What happened, for the user. */
  summary: string;
  problems: StampProblem[];
}

export interface StampOptions {
  key: string;
  /** Unix time in seconds. */
  now: number;
}

/**
 * Sets all values of the key to a number that is greater than each of them, and not less than the Unix time. Nothing but the
 * values changes: quotes, comments, layout and line endings stay.
 */
export function stampText(text: string, { key, now }: StampOptions): Stamped {
  const { values, problems } = findVersions(text, key);
  if (problems.length > 0) return refused(text, problems);
  const { highest, next } = nextVersion(values, now);
  const stamped = replaceValues(text, values, String(next));
  return {
    ...{ text: stamped, changed: true, found: values.length, problems },
    summary: `${key} ${highest} -> ${next}${places(values.length)}`,
  };
}

/** Finds values that are whole numbers, or empty strings. */
export function findVersions(text: string, key: string): { values: FoundValue[]; problems: StampProblem[] } {
  const all = findValues(text, key);
  // An alias takes the value of its anchor.
  const values = all.filter((each) => !isAlias(each));
  if (all.length === 0) return { values, problems: [notFound(key, '0')] };
  const problems = (values.length > 0 ? values : all).flatMap((each): StampProblem[] => {
    if (/^\d+$/.test(each.text) || (each.isQuoted && each.text === '')) return [];
    return [{ line: lineOf(text, each), message: `the value of ${key} ${versionProblem(each)}` }];
  });
  return { values, problems };
}

/** Does not show the value, which could be anything. */
function versionProblem(value: FoundValue): string {
  if (isTemplate(value)) return templateProblem;
  if (isAlias(value)) return 'is a YAML alias: stamp needs the number, at the anchor, under the same key';
  if (value.text === '') return 'is empty: set it to 0, and run the command again';
  return 'is not a whole number: set it to 0 or a greater number without sign, and run the command again';
}

export const templateProblem =
  'is a template expression: stamp the file that has the value, such as values.yaml';

export function isTemplate({ text }: FoundValue): boolean {
  return /^(?:\{\{|\$[{(]|<%)/.test(text);
}

export function isAlias({ text, isQuoted }: FoundValue): boolean {
  return !isQuoted && text.startsWith('*');
}

export function notFound(key: string, initial: string): StampProblem {
  return {
    message: `key ${key} not found: add the key with the value ${initial}, or set another key with --key`,
  };
}

/** Numbers have any size. An empty value counts as 0. */
export function nextVersion(values: readonly FoundValue[], now: number): { highest: bigint; next: bigint } {
  const highest = values.reduce((max, { text }) => (BigInt(text) > max ? BigInt(text) : max), 0n);
  const seconds = BigInt(Math.floor(now));
  return { highest, next: highest + 1n > seconds ? highest + 1n : seconds };
}

export function replaceValues(text: string, values: readonly FoundValue[], by: string): string {
  let result = '';
  let end = 0;
  for (const value of values) {
    result += text.slice(end, value.start) + by;
    end = value.end;
  }
  return result + text.slice(end);
}

export function refused(text: string, problems: StampProblem[]): Stamped {
  return { text, changed: false, found: 0, summary: '', problems };
}

export function places(count: number): string {
  return count === 1 ? '' : ` (${count} places)`;
}
