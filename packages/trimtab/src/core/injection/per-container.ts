import { invalidAnnotation } from './invalid-annotation.ts';
import type { Unreadable } from './reload-action.ts';

/** The value of an annotation for all containers, or for each container that it names. */
export type PerContainer<T> = { all: T } | { each: { container: string; value: T }[] };

export interface PerContainerInput<T> {
  annotation: string;
  text: string;
  /** The containers of the pod that keep running. */
  containers: readonly string[];
  parse: (text: string) => T | Unreadable;
}

/** An annotation can have thousands of entries that are not valid. More problems than these are not reported. */
const maxProblems = 10;

const name = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const named = new RegExp(`^(${name})\\s*=\\s*(.*)$`, 's');

/** Parses `signal:SIGUSR1` or `app=signal:SIGUSR2,proxy=http:POST http://localhost:9090/-/reload`. */
export function parsePerContainer<T extends object>({
  annotation,
  text,
  containers,
  parse,
}: PerContainerInput<T>): { value: PerContainer<T>; problems: string[] } {
  const problems: string[] = [];
  const read = (value: string, container?: string): T[] => {
    const result = parse(value);
    if (!('allowed' in result)) return [result as T];
    problems.push(invalidAnnotation(annotation, value, result.allowed, container));
    return [];
  };
  if (!named.test(text)) {
    const [all] = read(text);
    return { value: all === undefined ? { each: [] } : { all }, problems };
  }
  const seen = new Set<string>();
  const each = splitEntries(text, new Set(containers)).flatMap((entry) => {
    if (problems.length >= maxProblems) return [];
    const [, container = '', value = ''] = named.exec(entry) ?? [];
    if (seen.has(container))
      problems.push(`Annotation ${annotation} names container "${container}" twice: name it once`);
    seen.add(container);
    if (!containers.includes(container))
      problems.push(
        `Annotation ${annotation} names container "${container}", which is not in the pod or ends before the application starts: must be ${oneOf(containers)}`,
      );
    return read(value, container).map((parsed) => ({ container, value: parsed }));
  });
  return { value: { each }, problems: problems.slice(0, maxProblems) };
}

/**
 * URLs may contain commas and equals signs, so an entry begins only where a container of the pod is named, or where a name
 * is followed by a known form. The second rule finds misspelt names.
 */
function splitEntries(text: string, containers: ReadonlySet<string>): string[] {
  const begins = [
    ...text.matchAll(new RegExp(`,\\s*(?=(${name})\\s*=\\s*(signal:|https?:|webhook:|pull\\b)?)`, 'g')),
  ]
    .filter(([, container = '', form]) => form !== undefined || containers.has(container))
    .map((match) => ({ end: match.index, start: match.index + match[0].length }));
  const starts = [0, ...begins.map(({ start }) => start)];
  return starts.map((start, index) => text.slice(start, begins[index]?.end).trim());
}

function oneOf(names: readonly string[]): string {
  return names.length === 1 ? `"${names[0]}"` : `one of ${names.map((each) => `"${each}"`).join(', ')}`;
}
