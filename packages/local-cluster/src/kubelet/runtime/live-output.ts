import type { Writable } from 'node:stream';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { LogStream } from '../logs/log-line.ts';

/** Who takes nothing for so long is let go: the program waits for everybody who is attached. */
const patienceMs = 10_000;

type Ends = Partial<Record<LogStream, Writable>>;

/** The output of a container as it comes, byte for byte, for those who are attached. */
export class LiveOutput {
  readonly #clock: Clock;
  readonly #attached = new Set<Ends>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Answers how to end that. */
  attach(ends: Ends): () => void {
    this.#attached.add(ends);
    return () => this.#attached.delete(ends);
  }

  /** Resolves when it may go on. */
  async tell(stream: LogStream, chunk: Buffer): Promise<void> {
    if (this.#attached.size === 0) return;
    await Promise.all([...this.#attached].map((ends) => this.#write(ends[stream], chunk)));
  }

  #write(end: Writable | undefined, chunk: Buffer): Promise<void> | undefined {
    if (end === undefined || !end.writable || end.write(chunk)) return undefined;
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        end.off('drain', finish).off('close', finish);
        resolve();
      };
      const cancel = this.#clock.after(patienceMs, () => {
        end.destroy();
        finish();
      });
      end.once('drain', finish).once('close', finish);
    });
  }
}
