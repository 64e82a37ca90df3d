import type { ReadStream } from 'node:tty';

export interface KeyActions {
  /** Actions by key. Each returns the line to print. */
  actions: Record<string, () => Promise<string>>;
  quit(): void;
  print(line: string): void;
}

/** Reads single keys when the input is a terminal. Returns a function that restores the terminal. */
export function listenForKeys(input: ReadStream, { actions, quit, print }: KeyActions): () => void {
  if (!input.isTTY) return () => {};
  const onData = (text: string) => {
    // In raw mode the terminal does not turn Ctrl-C into SIGINT, nor Ctrl-D into end of input.
    if (text === 'q' || text === '\u0003' || text === '\u0004') return quit();
    const action = Object.hasOwn(actions, text) ? actions[text] : undefined;
    if (action === undefined) return;
    action().then(print, (error: unknown) => print(error instanceof Error ? error.message : String(error)));
  };
  input.setRawMode(true);
  input.setEncoding('utf8');
  input.on('data', onData);
  input.resume();
  return () => {
    input.off('data', onData);
    input.setRawMode(false);
    input.pause();
  };
}
