import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

/** The address of an API server and the credentials for it, in a form that can be sent to another process. */
export interface ServerAddress {
  host: string;
  port: number;
  ca: string;
  cert: string;
  key: string;
  /** Header lines of each request: `authorization: Bearer …`. */
  headers: string;
}

const lastChunk = '\r\n0\r\n\r\n';

interface Waiting {
  resolve(status: number): void;
  reject(error: Error): void;
}

/**
 * One connection that sends requests one after the other. It is a socket with minimal HTTP, because the clients share the
 * machine with the server, and a full HTTP client would take CPU time from it.
 */
export class Connection {
  readonly #socket: TLSSocket;
  readonly #address: ServerAddress;
  #head = '';
  #length: number | 'chunked' | undefined;
  #body = 0;
  #tail = '';
  #waiting: Waiting | undefined;

  static async open(address: ServerAddress): Promise<Connection> {
    const { host, port, ca, cert, key } = address;
    const socket = connect({ host, port, ca, ...(cert === '' ? {} : { cert, key }) });
    await once(socket, 'secureConnect');
    return new Connection(socket.setNoDelay(), address);
  }

  private constructor(socket: TLSSocket, address: ServerAddress) {
    this.#socket = socket;
    this.#address = address;
    socket.setEncoding('latin1').on('data', (text: string) => this.#take(text));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('connection closed by the server')));
  }

  /** Returns the status code when the whole body has been received. */
  request(method: string, path: string, body = ''): Promise<number> {
    const length = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${this.#address.host}\r\n${this.#address.headers}${length}\r\n`;
    return new Promise((resolve, reject) => {
      [this.#head, this.#length, this.#body, this.#tail] = ['', undefined, 0, ''];
      this.#waiting = { resolve, reject };
      this.#socket.write(head + body);
    });
  }

  /** Sends a request whose response does not end, and passes each chunk to `take`. */
  stream(path: string, take: (text: string) => void): void {
    this.#socket.removeAllListeners('data').on('data', take);
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${this.#address.host}\r\n${this.#address.headers}\r\n`);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Keeps only the length and the last bytes of the body, because the body may be large. */
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
