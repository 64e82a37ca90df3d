import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

/** Where an API server is and how to be let in, in a form that goes from process to process. */
export interface Door {
  host: string;
  port: number;
  ca: string;
  cert: string;
  key: string;
  /** Lines of each request: `authorization: Bearer …`. */
  headers: string;
}

const lastChunk = '\r\n0\r\n\r\n';

interface Waiting {
  resolve(status: number): void;
  reject(error: Error): void;
}

/**
 * One connection that sends one request after the other. A socket and a few lines of HTTP, because clients share the
 * machine with the server: the time of a whole HTTP client would be missing there.
 */
export class Connection {
  readonly #socket: TLSSocket;
  readonly #door: Door;
  #head = '';
  #length: number | 'chunked' | undefined;
  #body = 0;
  #tail = '';
  #waiting: Waiting | undefined;

  static async open(door: Door): Promise<Connection> {
    const { host, port, ca, cert, key } = door;
    const socket = connect({ host, port, ca, ...(cert === '' ? {} : { cert, key }) });
    await once(socket, 'secureConnect');
    return new Connection(socket.setNoDelay(), door);
  }

  private constructor(socket: TLSSocket, door: Door) {
    this.#socket = socket;
    this.#door = door;
    socket.setEncoding('latin1').on('data', (text: string) => this.#take(text));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the server closed the connection')));
  }

  /** Answers the status when the whole body was received. */
  request(method: string, path: string, body = ''): Promise<number> {
    const length = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${this.#door.host}\r\n${this.#door.headers}${length}\r\n`;
    return new Promise((resolve, reject) => {
      [this.#head, this.#length, this.#body, this.#tail] = ['', undefined, 0, ''];
      this.#waiting = { resolve, reject };
      this.#socket.write(head + body);
    });
  }

  /** A request whose answer never ends: hands over what comes, piece by piece. */
  stream(path: string, take: (text: string) => void): void {
    this.#socket.removeAllListeners('data').on('data', take);
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${this.#door.host}\r\n${this.#door.headers}\r\n`);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Of the body nothing but its length and its end is kept: it may be long. */
  #take(text: string): void {
    if (this.#length === undefined) this.#begin(text);
    else this.#bodyGrows(text);
    const isWhole = this.#length === 'chunked' ? this.#tail.endsWith(lastChunk) : this.#body === this.#length;
    if (!isWhole) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(Number(this.#head.slice(9, 12)));
  }

  #begin(text: string): void {
    this.#head += text;
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#head.slice(0, end))?.[1];
    this.#length = length === undefined ? 'chunked' : Number(length);
    this.#bodyGrows(this.#head.slice(end + 4));
  }

  #bodyGrows(text: string): void {
    this.#body += text.length;
    this.#tail = (this.#tail + text.slice(-lastChunk.length)).slice(-lastChunk.length);
  }
}
