/** What a command reads and writes. Tests replace it; a program uses `processIo`. */
export interface ProgramIo {
  /** The first words of a command as the user types it: `trimtab`, or `kubectl trimtab` for the plugin. */
  programName: string;
  stdout: Output;
  stderr: Output;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  env: Readonly<Record<string, string | undefined>>;
  /** Calls `handler` for SIGINT (Ctrl-C) instead of ending the process. Returns a function that ends this. */
  onInterrupt(handler: () => void): () => void;
}

/** The part of `process.stdout` that commands use. */
export interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
  /** Size of the terminal. */
  columns?: number;
  rows?: number;
  /** The size at this moment. The fields above follow a moment later. */
  getWindowSize?(): [columns: number, rows: number];
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

export function processIo(programName: string): ProgramIo {
  const { stdout, stderr, stdin, env } = process;
  return {
    ...{ programName, stdout, stderr, stdin, env },
    onInterrupt(handler) {
      process.on('SIGINT', handler);
      return () => process.off('SIGINT', handler);
    },
  };
}
