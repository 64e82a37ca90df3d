import type { ConfigDiff, Entry, Shown } from './config-diff.ts';
import { unifiedHunks } from './unified-diff.ts';

/** Names of the two sides, as they stand before each key: `foo/1.0.0`. */
export interface Sides {
  from: string;
  to: string;
}

/** As `diff -ru` would write it, were each version a directory and each key a file in it. */
export function renderDiff({ added, removed, changed }: ConfigDiff, sides: Sides): string {
  return [
    ...removed.map((each) => ({ ...each, to: undefined })),
    ...changed,
    ...added.map((each) => ({ ...each, from: undefined })),
  ]
    .map((entry) => renderEntry(entry, sides))
    .join('');
}

/** The same for programs: texts that changed as hunks, and everything else as it is shown. */
export function jsonDiff({ added, removed, changed }: ConfigDiff): object {
  return {
    added: added.map(({ field, key, to }) => ({ field, key, ...only('to', to) })),
    removed: removed.map(({ field, key, from }) => ({ field, key, ...only('from', from) })),
    changed: changed.map(({ field, key, from, to }) =>
      'text' in from && 'text' in to
        ? { field, key, diff: unifiedHunks(from.text, to.text) }
        : { field, key, ...only('from', from), ...only('to', to) },
    ),
  };
}

function only(side: 'from' | 'to', value: Shown): object {
  return 'masked' in value ? {} : { [side]: value };
}

interface AnyEntry extends Entry {
  from: Shown | undefined;
  to: Shown | undefined;
}

function renderEntry({ field, key, from, to }: AnyEntry, sides: Sides): string {
  const a = `${sides.from}/${field}/${key}`;
  const b = `${sides.to}/${field}/${key}`;
  if (isText(from) && isText(to)) {
    const head = `--- ${from === undefined ? '/dev/null' : a}\n+++ ${to === undefined ? '/dev/null' : b}\n`;
    return head + unifiedHunks(from?.text ?? '', to?.text ?? '');
  }
  if (from === undefined) return `Only in ${b}${known(to)}\n`;
  if (to === undefined) return `Only in ${a}${known(from)}\n`;
  return `Values ${a}${known(from)} and ${b}${known(to)} differ\n`;
}

function isText(value: Shown | undefined): value is { text: string } | undefined {
  return value === undefined || 'text' in value;
}

function known(value: Shown | undefined): string {
  if (value === undefined || 'masked' in value) return '';
  if ('text' in value) return ' (text)';
  return ` (${value.bytes} bytes, sha256:${value.sha256.slice(0, 12)})`;
}
