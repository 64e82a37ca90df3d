import { type ConfigDiff, diffLimits, type Entry, type ShownValue } from './config-diff.ts';
import { type DiffBudget, diffBudget, unifiedHunks } from './unified-diff.ts';

/** Prefixes of the keys of both sides, such as `foo/1.0.0`. */
export interface Sides {
  from: string;
  to: string;
}

/** Renders a diff as `diff -ru` does for directories, with each version as a directory and each key as a file. */
export function renderDiff({ added, removed, changed, differing }: ConfigDiff, sides: Sides): string {
  const budget = diffBudget();
  const entries = [
    ...removed.map((each) => ({ ...each, to: undefined })),
    ...changed,
    ...added.map((each) => ({ ...each, from: undefined })),
  ].map((entry) => renderEntry(entry, sides, budget));
  return [...entries, ...truncationText(differing)].join('');
}

function truncationText(differing: number): string[] {
  const { values, keys } = diffLimits;
  if (differing <= values) return [];
  const listed = Math.min(differing, keys);
  return [
    `The diff is truncated: ${differing} keys differ, ${listed} are listed, and ${values} of them with their values\n`,
  ];
}

/** The diff as JSON: changed texts as unified hunks, all other values as they are shown. */
export function jsonDiff({ added, removed, changed, differing }: ConfigDiff): object {
  const budget = diffBudget();
  return {
    added: added.map(({ field, key, to }) => ({ field, key, ...only('to', to) })),
    removed: removed.map(({ field, key, from }) => ({ field, key, ...only('from', from) })),
    changed: changed.map(({ field, key, from, to }) =>
      'text' in from && 'text' in to
        ? { field, key, diff: unifiedHunks(from.text, to.text, budget) }
        : { field, key, ...only('from', from), ...only('to', to) },
    ),
    ...(differing > diffLimits.values && {
      truncated: {
        differing,
        listed: Math.min(differing, diffLimits.keys),
        withValues: diffLimits.values,
      },
    }),
  };
}

function only(side: 'from' | 'to', value: ShownValue): object {
  return isHidden(value) ? {} : { [side]: value };
}

function isHidden(value: ShownValue): value is { masked: true } | { omitted: true } {
  return 'masked' in value || 'omitted' in value;
}

interface AnyEntry extends Entry {
  from: ShownValue | undefined;
  to: ShownValue | undefined;
}

function renderEntry({ field, key, from, to }: AnyEntry, sides: Sides, budget: DiffBudget): string {
  const a = `${sides.from}/${field}/${key}`;
  const b = `${sides.to}/${field}/${key}`;
  if (isText(from) && isText(to)) {
    const head = `--- ${from === undefined ? '/dev/null' : a}\n+++ ${to === undefined ? '/dev/null' : b}\n`;
    return head + unifiedHunks(...withFinalNewlines(from?.text ?? '', to?.text ?? ''), budget);
  }
  if (from === undefined) return `Only in ${b}${known(to)}\n`;
  if (to === undefined) return `Only in ${a}${known(from)}\n`;
  return `Values ${a}${known(from)} and ${b}${known(to)} differ\n`;
}

/**
 * Most values of one line have no final newline. If no side has one, its absence is no difference, and the marks
 * `No newline at end of file` would be longer than the rest.
 */
function withFinalNewlines(from: string, to: string): [string, string] {
  if (from.endsWith('\n') || to.endsWith('\n')) return [from, to];
  const ended = (text: string) => (text === '' ? text : `${text}\n`);
  return [ended(from), ended(to)];
}

function isText(value: ShownValue | undefined): value is { text: string } | undefined {
  return value === undefined || 'text' in value;
}

function known(value: ShownValue | undefined): string {
  if (value === undefined || isHidden(value)) return '';
  if ('text' in value) return ' (text)';
  return ` (${value.bytes} bytes, sha256:${value.sha256.slice(0, 12)})`;
}
