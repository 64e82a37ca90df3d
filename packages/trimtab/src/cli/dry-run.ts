import type { Flag } from '@trimtab/kube/flags/flags.ts';

/** `--dry-run` of commands that delete. Without a value the API server checks everything and deletes nothing. */
export const dryRunFlag = {
  type: 'choice',
  choices: ['none', 'server', 'client'],
  default: 'none',
  implied: 'server',
  help: 'Check everything and change nothing. `server` and `client` are the same.',
} as const satisfies Flag;

/** The end of a line about a change, as kubectl writes it. */
export function dryRunSuffix(dryRun: 'none' | 'server' | 'client'): string {
  return { none: '', server: ' (server dry run)', client: ' (dry run)' }[dryRun];
}
