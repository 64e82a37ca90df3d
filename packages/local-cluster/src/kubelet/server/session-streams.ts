import type { Readable, Writable } from 'node:stream';
import type { ExitStatus } from './exec-status.ts';

/** What a client asked to be connected to. */
export interface WantedStreams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** The client's ends of `kubectl exec` and `attach`, whichever protocol carries them. */
export interface SessionStreams {
  stdin?: Readable;
  stdout?: Writable;
  stderr?: Writable;
  onResize(listener: (size: TerminalSize) => void): void;
  /** Aborts when the session is over: the client has left, or was told how it ended. */
  over: AbortSignal;
  /** Tells how it ended, when all that was written has been taken. */
  finish(status: ExitStatus): Promise<void>;
}

/** What a client says about the size of its terminal; undefined when it makes no sense. */
export function parseSize(text: string): TerminalSize | undefined {
  try {
    const { Width: columns, Height: rows } = JSON.parse(text);
    const isSize = (value: unknown) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;
    return isSize(columns) && isSize(rows) ? { columns, rows } : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves when everything that was written has been taken, or never will be. */
export function ended(stream: Writable | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (stream === undefined || stream.destroyed) return resolve();
    stream.once('close', resolve);
    stream.end(resolve);
  });
}
