import type { Writable } from 'node:stream';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { LogStream } from '../logs/log-line.ts';

/** A client that consumes nothing for this long is disconnected, because the program waits for all clients. */
const patienceMs = 10_000;

type Ends = Partial<Record<LogStream, Writable>>;

/** Streams a container's output, unmodified, to the attached clients. */
export class LiveOutput {
  readonly #clock: Clock;
  readonly #attached = new Set<Ends>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns a function that detaches the streams. */
  attach(ends: Ends): () => void {
    this.#attached.add(ends);
    return () => this.#attached.delete(ends);
  }

  /** Resolves when the program may continue to write. */
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
