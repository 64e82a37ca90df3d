import type { Socket } from 'node:net';
import { inProcessSockets } from '@trimtab/kube/http/in-process-socket.ts';

/**
 * All connections of one simulated process. While frozen, incoming data is held and nothing is sent. When shut, it
 * behaves as after `kill -9`: the peers see closed connections, and the process receives nothing any more.
 */
export class Gate {
  readonly #connect: () => Socket;
  readonly #outside = new Set<Socket>();
  #held: (() => void)[] | undefined;
  #isShut = false;

  constructor(connect: () => Socket) {
    this.#connect = connect;
  }

  connect(): Socket {
    const [inside, door] = inProcessSockets();
    if (this.#isShut) return inside;
    const outside = this.#connect();
    this.#outside.add(outside);
    this.#join(door, outside);
    this.#join(outside, door);
    return inside;
  }

  freeze(): void {
    this.#held ??= [];
  }

  thaw(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const pass of held) this.#pass(pass);
  }

  shut(): void {
    this.#isShut = true;
    for (const socket of this.#outside) socket.destroy();
  }

  #join(from: Socket, to: Socket): void {
    from.on('data', (chunk: Buffer) => this.#pass(() => to.write(chunk)));
    from.on('end', () => this.#pass(() => to.end()));
    from.on('error', () => {});
    from.on('close', () => {
      this.#outside.delete(from);
      this.#pass(() => to.destroy());
    });
  }

  #pass(what: () => void): void {
    if (this.#isShut) return;
    if (this.#held !== undefined) this.#held.push(what);
    else what();
  }
}
