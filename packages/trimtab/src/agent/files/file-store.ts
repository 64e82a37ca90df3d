import type { SetIdentity } from './file-set.ts';

/** Keeps two sets of files on disk: the one that applications see, and the last one that they accepted. */
export interface FileStore<S extends SetIdentity> {
  /** The set that applications see. */
  readonly current: SetIdentity | undefined;
  /** The last set that the application accepted. */
  readonly good: SetIdentity | undefined;
  /** Whether the application may have another set than the visible one, which is the good one. */
  readonly isUntold: boolean;
  /** Reads the sets of an earlier process and removes what is incomplete. */
  recover(): void;
  /** Makes a set visible. A failure leaves the set before in place. */
  write(set: S): void;
  /** Records the visible set as the good one. With `isTold: false`, the application is still to be told about it. */
  accept(by: { isTold: boolean }): void;
  /** Makes the last good set visible again. Returns false when there is none. */
  restore(by: { isTold: boolean }): boolean;
}
