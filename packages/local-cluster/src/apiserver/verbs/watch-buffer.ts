import type { Writable } from 'node:stream';
import type { WatchMemory } from './watch-memory.ts';

/** Limit for data that waits for a slow client, in addition to its initial events. */
const maxWaitingBytes = 16 * 1024 * 1024;

type Client = Pick<Writable, 'write' | 'end' | 'destroy' | 'destroyed' | 'on'>;

/**
 * Buffers lines for one client, so a slow client never blocks a writer. A client for which too much data waits loses
 * its connection, as with a real API server.
 */
export class WatchBuffer {
  readonly #client: Client;
  readonly #memory: WatchMemory;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #allowedBytes = maxWaitingBytes;
  #isFull = false;
  #isEnding = false;

  constructor(client: Client, memory: WatchMemory) {
    this.#client = client;
    this.#memory = memory;
    client.on('drain', () => this.#flush());
    client.on('close', () => this.#forget());
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Initial events do not count towards the limit: they may be large, and the client requested them. */
  sendInitial(lines: readonly string[]): void {
    for (const line of lines) this.#allowedBytes += line.length;
    for (const line of lines) this.send(line);
  }

  send(line: string): void {
    if (this.#client.destroyed || this.#isEnding) return;
    if (!this.#isFull) {
      this.#isFull = !this.#client.write(line);
      return;
    }
    this.#waiting.push(line);
    this.#count(line.length);
    if (this.#waitingBytes > this.#allowedBytes) this.drop();
  }

  /** Ends the connection after the waiting lines. */
  end(): void {
    this.#isEnding = true;
    if (this.#waiting.length === 0) this.#client.end();
  }

  drop(): void {
    this.#forget();
    this.#client.destroy();
  }

  #flush(): void {
    this.#isFull = false;
    let sent = 0;
    let bytes = 0;
    while (sent < this.#waiting.length && !this.#isFull) {
      const line = this.#waiting[sent] ?? '';
      bytes += line.length;
      this.#isFull = !this.#client.write(line);
      sent++;
    }
    this.#waiting.splice(0, sent);
    this.#count(-bytes);
    if (this.#isEnding && this.#waiting.length === 0) this.#client.end();
  }

  #forget(): void {
    this.#waiting = [];
    this.#count(-this.#waitingBytes);
  }

  #count(bytes: number): void {
    if (bytes === 0) return;
    this.#waitingBytes += bytes;
    this.#memory.changed(this, bytes);
  }
}
