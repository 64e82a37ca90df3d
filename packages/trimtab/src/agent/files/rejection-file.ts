import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** A set that the application rejected. */
export interface Rejection {
  /** The `configHash` of the set. */
  hash: string;
  /** Contains no content of configs. */
  reason: string;
}

/** Remembers the last rejection, so that an agent that is restarted does not try the same set again. */
export interface RejectionRecord {
  read(): Rejection | undefined;
  write(rejection: Rejection | undefined): void;
}

/** A rejection that cannot be written is forgotten with the process, and its set is tried once more. */
export function rejectionFile(path: string): RejectionRecord {
  return {
    read() {
      try {
        const { hash, reason } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Rejection>;
        return typeof hash === 'string' && typeof reason === 'string' ? { hash, reason } : undefined;
      } catch {
        return undefined;
      }
    },
    write(rejection) {
      try {
        if (rejection === undefined) return rmSync(path, { force: true });
        writeFileSync(`${path}_tmp`, JSON.stringify(rejection), { mode: 0o600 });
        renameSync(`${path}_tmp`, path);
      } catch {
        // See above.
      }
    },
  };
}
