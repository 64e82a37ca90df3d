import type { ErrorEntry } from '@trimtab/kube/errors.ts';

/** Error of local clusters, in addition to the errors of all programs. docs/reference/errors.md also lists it. */
export const storeUnusable: ErrorEntry = {
  code: 'StoreUnusable',
  meaning:
    'The database of the local cluster cannot be opened or written, is damaged, or has a newer format.',
  remedy:
    'Correct the problem that the message names (free disk space, stop the other process, update the program), or set another `--state-dir`.',
  exitCode: 1,
};
