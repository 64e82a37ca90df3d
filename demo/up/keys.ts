import type { ReadStream } from 'node:tty';

/** Something that fills the terminal until a key is pressed. */
export interface View {
  close(): void;
  /** Resolves when the terminal is free again. Rejects when the view has failed. */
  closed: Promise<void>;
}

export interface KeyActions {
  /** Actions by key. Each returns the line to print. */
  actions: Record<string, () => Promise<string>>;
  /** Views by key. While one is open, every key closes it. */
  views: Record<string, () => View>;
  quit(): void;
  print(line: string): void;
}

/** Reads single keys when the input is a terminal. Returns a function that restores the terminal. */
export function listenForKeys(input: ReadStream, keys: KeyActions): () => void {
  if (!input.isTTY) return () => {};
  const { actions, views, quit, print } = keys;
  const printError = (error: unknown) => print(error instanceof Error ? error.message : String(error));
  let open: View | undefined;
  const onData = (text: string) => {
    if (open !== undefined) return open.close();
    // In raw mode the terminal does not turn Ctrl-C into SIGINT, nor Ctrl-D into end of input.
    if (text === 'q' || text === '\u0003' || text === '\u0004') return quit();
    if (Object.hasOwn(views, text)) {
      open = views[text]?.();
      open?.closed.catch(printError).finally(() => {
        open = undefined;
      });
      return;
    }
    const action = Object.hasOwn(actions, text) ? actions[text] : undefined;
    action?.().then(print, printError);
  };
  input.setRawMode(true);
  input.setEncoding('utf8');
  input.on('data', onData);
  input.resume();
  return () => {
    open?.close();
    input.off('data', onData);
    input.setRawMode(false);
    input.pause();
  };
}
