/** Says on standard error how far a command got; standard output stays free for what a script reads. */
export interface Progress {
  /** One finished step, with the time since the command began. */
  step(text: string): void;
  /** What goes on right now. A terminal shows it in place; elsewhere it becomes a line now and then. */
  doing(text: string): void;
}

const quietLineEveryMs = 15_000;

export function terminalProgress(output: NodeJS.WriteStream = process.stderr): Progress {
  const began = performance.now();
  let lastLine = began;
  let transient = false;
  const clear = () => {
    if (transient) output.write('\r\x1b[K');
    transient = false;
  };
  const stamped = (text: string) => `${seconds(performance.now() - began).padStart(8)}  ${text}`;
  return {
    step(text) {
      clear();
      output.write(`${stamped(text)}\n`);
      lastLine = performance.now();
    },
    doing(text) {
      if (output.isTTY) {
        clear();
        output.write(stamped(text).slice(0, (output.columns ?? 80) - 1));
        transient = true;
      } else if (performance.now() - lastLine >= quietLineEveryMs) {
        output.write(`${stamped(text)}\n`);
        lastLine = performance.now();
      }
    },
  };
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
