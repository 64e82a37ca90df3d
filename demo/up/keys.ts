import type { ReadStream } from 'node:tty';

export interface KeyActions {
  /** One key each. Answers what to print. */
  actions: Record<string, () => Promise<string>>;
  quit(): void;
  print(line: string): void;
}

/** Reads single keys from a terminal; without one there are no keys. Answers how to end that. */
export function listenForKeys(input: ReadStream, { actions, quit, print }: KeyActions): () => void {
  if (!input.isTTY) return () => {};
  const onData = (text: string) => {
    // In raw mode the terminal does not turn Ctrl-C into a signal any more.
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
