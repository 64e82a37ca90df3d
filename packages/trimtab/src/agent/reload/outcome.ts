/** Result of a check of a set, or of telling an application about it. */
export type Outcome =
  | { ok: true }
  | {
      ok: false;
      /**
       * `refused`: the application, or the check, rejected the set. `unreachable`: there was no answer, which says nothing
       * about the set.
       */
      kind: 'refused' | 'unreachable';
      /** What happened, for logs and the health endpoint. Contains no content of configs. */
      message: string;
      /** Output of a command or an HTTP response. It may quote the configs, so it is not shown when one is a Secret. */
      output?: string;
      /** The application certainly did not receive anything, so it has not read the files. */
      isUntouched?: boolean;
    };

export const succeeded: Outcome = { ok: true };

export function refused(message: string, output?: string): Outcome {
  return { ok: false, kind: 'refused', message, ...(output && { output }) };
}

/** The application cannot be told at all, so it has not read the files. */
export function undeliverable(message: string): Outcome {
  return { ok: false, kind: 'refused', message, isUntouched: true };
}

export function unreachable(message: string, { isUntouched = false } = {}): Outcome {
  return { ok: false, kind: 'unreachable', message, ...(isUntouched && { isUntouched }) };
}

/** Tells an application that its files have changed, or checks something. */
export interface Action {
  /** `POST http://localhost:9090/-/reload`, `SIGHUP to process nginx`. */
  name: string;
  run(attempt: Attempt): Promise<Outcome>;
}

export interface Attempt {
  /** Aborts when the time of the attempt is over or the agent stops. */
  signal: AbortSignal;
  /** When the files were written, in clock ticks since boot. A process that started later has read them already. */
  writtenAtTicks: number;
}
