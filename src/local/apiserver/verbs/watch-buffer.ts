import type { ServerResponse } from 'node:http';

/** What may wait for a client that reads slowly, beyond what it asked for at the start. */
const maxWaitingBytes = 16 * 1024 * 1024;

/**
 * Lines on their way to one client. Nobody waits for it: lines are kept until the client takes them, and a client
 * that lets too many of them pile up loses its connection, as it would with a real API server.
 */
export class WatchBuffer {
  readonly #response: ServerResponse;
  readonly #waiting: string[] = [];
  #waitingBytes = 0;
  #allowedBytes = maxWaitingBytes;
  #isFull = false;
  #isEnding = false;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on('drain', () => this.#flush());
  }

  /** What the client asked for counts for nothing: it may be large, and it is wanted. */
  sendInitial(lines: readonly string[]): void {
    for (const line of lines) this.#allowedBytes += line.length;
    for (const line of lines) this.send(line);
  }

  send(line: string): void {
    if (this.#response.destroyed || this.#isEnding) return;
    if (!this.#isFull) {
      this.#isFull = !this.#response.write(line);
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#waitingBytes > this.#allowedBytes) this.#response.destroy();
  }

  /** After what waits. */
  end(): void {
    this.#isEnding = true;
    if (this.#waiting.length === 0) this.#response.end();
  }

  #flush(): void {
    this.#isFull = false;
    let sent = 0;
    while (sent < this.#waiting.length && !this.#isFull) {
      const line = this.#waiting[sent] ?? '';
      this.#waitingBytes -= line.length;
      this.#isFull = !this.#response.write(line);
      sent++;
    }
    this.#waiting.splice(0, sent);
    if (this.#isEnding && this.#waiting.length === 0) this.#response.end();
  }
}
