/** Reports the progress of a command on standard error. Standard output is reserved for scripts. */
export interface Progress {
  /** Reports one completed step, with the time since the start of the command. */
  step(text: string): void;
  /** Reports the current activity. A terminal shows it in place; other outputs get a line every 15 s. */
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
