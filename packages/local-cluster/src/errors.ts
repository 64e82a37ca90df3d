import type { ErrorEntry } from '@trimtab/kube/errors.ts';

/** What a local cluster can run into beside what every program can. docs/reference/errors.md lists it as well. */
export const storeUnusable: ErrorEntry = {
  code: 'StoreUnusable',
  meaning: 'The database of the local cluster can not be opened, is damaged or newer, or can not be written.',
  remedy:
    'Do what the message says (free the disk, stop the other process, update the program), or start with another `--state-dir`.',
  exitCode: 1,
};
