import type { Completion } from '@trimtab/kube/flags/complete.ts';
import { oneLine } from '../output/table.ts';

/** The bits that kubectl and the scripts of cobra know. */
const directives = { noSpace: 2, noFiles: 4, folders: 16 } as const;

/**
 * The answer of `trimtab __complete`, in the format of cobra, which kubectl reads: one candidate per line, with a tab
 * before its description, and a last line with a colon and the sum of the directives.
 */
export function printCompletion({ candidates, files }: Completion): string {
  const lines = candidates.map(({ value, help }) => (help ? `${value}\t${oneLine(help)}` : value));
  // The user goes on to type after a type such as `secret/`, or after `jsonpath=`.
  const isOpen = candidates.length > 0 && candidates.every(({ value }) => /[/=]$/.test(value));
  const sum =
    (isOpen ? directives.noSpace : 0) +
    (files === undefined ? directives.noFiles : 0) +
    (files === 'folders' ? directives.folders : 0);
  return [...lines, `:${sum}`].map((line) => `${line}\n`).join('');
}
