import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import type { WatchBreak } from './control.ts';
import { resetConnection } from './reset-connection.ts';
import type { Stalls } from './stalls.ts';
import { expiredEventLine } from './status-bodies.ts';
import type { Step, WatchFaults } from './watch-faults.ts';

/** How long a held event waits for its successor before it is sent alone. */
const successorBoundMs = 500;

/** Relays the lines of an upstream watch to the client with the steps that `faults` returns. */
export class WatchRelay {
  readonly #upstream: IncomingMessage;
  readonly #client: ServerResponse;
  readonly #faults: WatchFaults;
  readonly #stalls: Stalls;
  readonly #clock: Clock;
  #over = false;
  /** Serialises the steps of events and of commands. */
  #turn: Promise<void> = Promise.resolve();

  constructor(
    upstream: IncomingMessage,
    client: ServerResponse,
    faults: WatchFaults,
    stalls: Stalls,
    clock: Clock,
  ) {
    this.#upstream = upstream;
    this.#client = client;
    this.#faults = faults;
    this.#stalls = stalls;
    this.#clock = clock;
  }

  async run(): Promise<void> {
    this.#client.once('close', () => this.#finish());
    try {
      for await (const line of linesOf(this.#upstream)) {
        await this.#play(this.#faults.next(line));
        if (this.#over) return;
        if (this.#faults.holding) this.#flushSoon();
      }
      await this.#play([...this.#faults.flush(), { do: 'end' }]);
    } catch {
      // The server broke the watch. The proxy resets the connection, so the client observes the same failure.
      if (!this.#over) resetConnection(this.#client);
    } finally {
      this.#finish();
    }
  }

  /** Breaks the watch immediately; `end` and `expire` wait until earlier events are sent. */
  break(how: WatchBreak): Promise<void> {
    if (how === 'cut') return this.#cut('');
    return this.#play(
      how === 'expire' ? [{ do: 'send', line: expiredEventLine() }, { do: 'end' }] : [{ do: 'end' }],
    );
  }

  #play(steps: Step[]): Promise<void> {
    this.#turn = this.#turn.then(async () => {
      for (const step of steps) if (!this.#over) await this.#do(step);
    });
    return this.#turn;
  }

  async #do(step: Step): Promise<void> {
    switch (step.do) {
      case 'send':
        if (!this.#client.write(`${step.line}\n`)) await drained(this.#client);
        return;
      case 'wait':
        await sleep(this.#clock, step.ms);
        return;
      case 'stall':
        return this.#stall(step.boundMs, step.entered);
      case 'cut':
        return this.#cut(step.partial);
      case 'end':
        this.#client.end();
        return this.#finish();
    }
  }

  async #stall(boundMs: number, entered: () => void): Promise<void> {
    const released = this.#stalls.wait(this.#client, boundMs);
    entered();
    if ((await released) === 'bound') await this.#cut('');
  }

  async #cut(partial: string): Promise<void> {
    // A reset discards the socket's buffer, so the partial line is flushed first.
    if (partial !== '') await new Promise((resolve) => this.#client.write(partial, resolve));
    resetConnection(this.#client);
    this.#finish();
  }

  #flushSoon(): void {
    this.#clock.after(successorBoundMs, () => {
      if (this.#faults.holding) void this.#play(this.#faults.flush());
    });
  }

  #finish(): void {
    this.#over = true;
    this.#upstream.destroy();
  }
}

async function* linesOf(stream: IncomingMessage): AsyncGenerator<string> {
  stream.setEncoding('utf8');
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
  if (rest !== '') yield rest;
}

function drained(client: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    client.once('drain', resolve);
    client.once('close', resolve);
  });
}
