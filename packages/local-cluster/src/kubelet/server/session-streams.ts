import type { Readable, Writable } from 'node:stream';
import type { ExitStatus } from './exec-status.ts';

/** The streams that a client requested. */
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

/** The client's streams of `kubectl exec` and `attach`, independent of the protocol. */
export interface SessionStreams {
  stdin?: Readable;
  stdout?: Writable;
  stderr?: Writable;
  onResize(listener: (size: TerminalSize) => void): void;
  /** Aborts when the session is over: the client disconnected, or its status was sent. */
  over: AbortSignal;
  /** Sends the status after all output has been flushed. */
  finish(status: ExitStatus): Promise<void>;
}

/** Parses a client's terminal size; undefined when the message is invalid. */
export function parseSize(text: string): TerminalSize | undefined {
  try {
    const { Width: columns, Height: rows } = JSON.parse(text);
    const isSize = (value: unknown) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;
    return isSize(columns) && isSize(rows) ? { columns, rows } : undefined;
  } catch {
    return undefined;
  }
}

/** Ends the stream; resolves when all writes are flushed or the stream is closed. */
export function ended(stream: Writable | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (stream === undefined || stream.destroyed) return resolve();
    stream.once('close', resolve);
    stream.end(resolve);
  });
}
